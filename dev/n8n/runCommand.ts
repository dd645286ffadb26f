import { spawn } from 'node:child_process';

export interface CommandOptions {
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
	{ cwd, env, timeoutMs = 600_000, purpose }: CommandOptions,
): Promise<string> {
	const child = spawn(command, args, {
		cwd,
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
		signal: AbortSignal.timeout(timeoutMs),
	});
	let stdout = '';
	let output = '';
	child.stdout.on('data', (text: Buffer) => {
		stdout += text.toString();
		output += text.toString();
	});
	child.stderr.on('data', (text: Buffer) => {
		output += text.toString();
	});

	const end = await new Promise<string>((resolve) => {
		child.once('error', (error) => resolve(error.message));
		child.once('close', (code) => resolve(code === 0 ? '' : `exit status ${code}`));
	});
	if (end === '') return stdout;
	throw new Error(
		`${purpose} failed (${end}): ${command} ${args.join(' ')}\n${output.slice(-SHOWN_CHARACTERS)}`,
	);
}
