import { DEMO_ACCOUNTS } from './state/accounts';
import { type Sandbox, startSandbox } from './startSandbox';
import type { SandboxOptions } from './types';

/** `npm run sandbox`: runs the sandbox until it is stopped or its parent process disconnects. */
async function main(): Promise<void> {
	const options = readOptions(process.env);
	const sandbox = await startSandbox(options);
	console.log(toStartMessage(sandbox));

	let isClosing = false;
	const close = () => {
		if (isClosing) return;
		isClosing = true;
		// An open channel to the parent process would keep this one running.
		void sandbox.close().then(() => process.connected && process.disconnect());
	};
	process.once('SIGINT', close);
	process.once('SIGTERM', close);
	process.once('disconnect', close);
	process.send?.({ url: sandbox.url, filesUrl: sandbox.filesUrl });
}

function readOptions(env: NodeJS.ProcessEnv): SandboxOptions {
	return {
		port: readNumber(env, 'SANDBOX_PORT', 3400),
		filesPort: readNumber(env, 'SANDBOX_FILES_PORT', 3401),
		timeScale: readNumber(env, 'SANDBOX_TIME_SCALE', 1),
		defaultJobSeconds: readNumber(env, 'SANDBOX_JOB_SECONDS', 8),
		limits: readChoice(env, 'SANDBOX_LIMITS', ['off']),
		limiter: readChoice(env, 'SANDBOX_LIMITER', ['sliding', 'fixed']),
		validateRequests: readChoice(env, 'SANDBOX_VALIDATE_REQUESTS', ['off']) !== 'off',
	};
}

function readNumber(env: NodeJS.ProcessEnv, name: string, defaultValue: number): number {
	const text = env[name]?.trim();
	if (!text) return defaultValue;
	const value = Number(text);
	if (!(value >= 0) || value === Infinity)
		throw new Error(`${name} must be a number, not '${text}'`);
	return value;
}

function readChoice<const T extends string>(
	env: NodeJS.ProcessEnv,
	name: string,
	choices: readonly T[],
): T | undefined {
	const text = env[name]?.trim();
	if (!text) return undefined;
	const choice = choices.find((candidate) => candidate === text);
	if (!choice) throw new Error(`${name} must be ${choices.join(' or ')}, not '${text}'`);
	return choice;
}

function toStartMessage({ url, filesUrl }: Sandbox): string {
	const keys = DEMO_ACCOUNTS.map(({ key, plan, credits, forbidden }) => {
		const access = forbidden
			? 'no permission: every call is answered with 403'
			: `${plan}, ${credits ?? 'unlimited'} credits`;
		return `  ${key.padEnd(24)} ${access}`;
	});
	return [
		'The sandbox is running.',
		'',
		`Base URL    ${url}`,
		`Files       ${filesUrl}`,
		`Admin API   ${url}/_sandbox (jobs, requests, counters; see dev/sandbox/AdminClient.ts)`,
		'',
		'API keys',
		...keys,
		'',
		'Press Ctrl+C to stop.',
	].join('\n');
}

function toErrorMessage(error: unknown): string {
	const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
	if (code !== 'EADDRINUSE') return message;
	return `Port ${port} is already in use. Set SANDBOX_PORT and SANDBOX_FILES_PORT to free ports, or to 0 to pick any.`;
}

main().catch((error: unknown) => {
	console.error(toErrorMessage(error));
	process.exit(1);
});
