import type { SandboxOptions } from './types';

/** Reads the sandbox's options from environment variables. Throws if one has a value that can't be used. */
export function readOptions(env: NodeJS.ProcessEnv): SandboxOptions {
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
