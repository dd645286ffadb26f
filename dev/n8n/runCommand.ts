import { spawn } from 'node:child_process';

export interface CommandOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	/** After so long it is ended. Default 10 minutes. */
	timeoutMs?: number;
	/** What it is for, for the words when it goes wrong. */
	purpose: string;
}

const SHOWN_CHARACTERS = 3000;

/** Runs a command to its end and returns what it printed. Throws with the last of it otherwise. */
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
	let printed = '';
	let everything = '';
	child.stdout.on('data', (text: Buffer) => {
		printed += text.toString();
		everything += text.toString();
	});
	child.stderr.on('data', (text: Buffer) => {
		everything += text.toString();
	});

	const end = await new Promise<string>((resolve) => {
		child.once('error', (error) => resolve(error.message));
		child.once('close', (code) => resolve(code === 0 ? '' : `exit status ${code}`));
	});
	if (end === '') return printed;
	throw new Error(
		`${purpose} did not work (${end}): ${command} ${args.join(' ')}\n${everything.slice(-SHOWN_CHARACTERS)}`,
	);
}
