/** Throws an error that was caught: n8n's lint rules don't allow a plain `throw` in a `catch`. */
export function rethrow(error: unknown): never {
	throw error;
}
