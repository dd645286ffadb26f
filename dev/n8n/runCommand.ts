import { ManagedProcess } from './ManagedProcess';

interface CommandOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	/** After this time the command is killed. Default 10 minutes. */
	timeoutMs?: number;
	/** For error messages, e.g. "Installing n8n". */
	purpose: string;
}

const SHOWN_CHARACTERS = 3000;

/** Runs a command and returns its stdout. Throws with the end of its output when it fails. */
export async function runCommand(
	command: string,
	args: string[],
	{ purpose, timeoutMs = 600_000, ...options }: CommandOptions,
): Promise<string> {
	const child = await ManagedProcess.start(command, args, { name: command, ...options }).catch(
		(error: Error) => {
			throw new Error(`${purpose} failed: ${error.message}`);
		},
	);
	const timer = setTimeout(() => void child.kill(), timeoutMs);
	await child.ended;
	clearTimeout(timer);
	if (child.end?.code === 0) return child.stdout;
	const end = child.end?.signal ?? `exit status ${child.end?.code}`;
	const shown = child.output.slice(-SHOWN_CHARACTERS);
	throw new Error(`${purpose} failed (${end}): ${command} ${args.join(' ')}\n${shown}`);
}
