const CODE_FENCE = /^```[a-z0-9_-]*\s*([\s\S]*)```$/i;

/**
 * A job's output as data, if it is the JSON text of an object or array, bare or in one code fence.
 * Everything else stays as it is: other text, and bare numbers, booleans and strings, too.
 */
export function parseJsonOutput(output: unknown): unknown {
	if (typeof output !== 'string') return output;
	const text = output.trim();
	const inFence = CODE_FENCE.exec(text)?.[1]?.trim() ?? text;
	if (!inFence.startsWith('{') && !inFence.startsWith('[')) return output;
	try {
		return JSON.parse(inFence) as unknown;
	} catch {
		return output;
	}
}
