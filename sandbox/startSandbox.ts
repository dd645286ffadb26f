import type { Sandbox, SandboxOptions } from './types';

/** Starts the service, its files' origin and its admin face on this machine's loopback address. */
export async function startSandbox(_options: SandboxOptions = {}): Promise<Sandbox> {
	return await Promise.reject(new Error('Not yet'));
}
