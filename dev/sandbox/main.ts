import { DEMO_ACCOUNTS } from './state/accounts';
import { type Sandbox, startSandbox } from './startSandbox';
import type { SandboxOptions } from './types';

/** `npm run sandbox`: the sandbox on its own, until it is told to end or its parent leaves. */
async function main(): Promise<void> {
	const options = readOptions(process.env);
	const sandbox = await startSandbox(options);
	console.log(describe(sandbox));

	let isEnding = false;
	const end = () => {
		if (isEnding) return;
		isEnding = true;
		// Node ends by itself once nothing listens any more; an open channel would hold it.
		void sandbox.close().then(() => process.connected && process.disconnect());
	};
	process.once('SIGINT', end);
	process.once('SIGTERM', end);
	process.once('disconnect', end);
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

function readNumber(env: NodeJS.ProcessEnv, name: string, byDefault: number): number {
	const text = env[name]?.trim();
	if (!text) return byDefault;
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

function describe({ url, filesUrl }: Sandbox): string {
	const keys = DEMO_ACCOUNTS.map(({ key, plan, credits, forbidden }) => {
		const what = forbidden
			? 'every call is answered with 403'
			: `${plan}, ${credits ?? 'unlimited'} credits`;
		return `  ${key.padEnd(24)} ${what}`;
	});
	return [
		'The sandbox is running.',
		'',
		`Base URL    ${url}`,
		`Files       ${filesUrl}`,
		`Admin face  ${url}/_sandbox (jobs, requests, counters; see dev/sandbox/AdminClient.ts)`,
		'',
		'API keys',
		...keys,
		'',
		'Press Ctrl+C to stop.',
	].join('\n');
}

function explain(error: unknown): string {
	const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
	if (code !== 'EADDRINUSE') return message;
	return `Port ${port} is taken. Set SANDBOX_PORT and SANDBOX_FILES_PORT to free ones, or to 0 for any.`;
}

main().catch((error: unknown) => {
	console.error(explain(error));
	process.exit(1);
});
