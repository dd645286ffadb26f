import type { SandboxOptions } from './types';

/**
 * Reads the sandbox's options from environment variables. Throws if one has a value that can't be
 * used.
 */
export function readOptions(env: NodeJS.ProcessEnv): SandboxOptions {
	return {
		port: readNumber(env, 'SANDBOX_PORT', 3400),
		filesPort: readNumber(env, 'SANDBOX_FILES_PORT', 3401),
		timeScale: readNumber(env, 'SANDBOX_TIME_SCALE', 1),
		defaultJobSeconds: readNumber(env, 'SANDBOX_JOB_SECONDS', 8),
		limits: env.SANDBOX_LIMITS === 'off' ? 'off' : 'on',
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
