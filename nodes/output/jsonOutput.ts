import { parseJson } from '../service/parseJson';

const FENCE = '```';

/**
 * A job's output as data, if it is the JSON text of an object or array, bare or in one code fence.
 * Everything else stays as it is: other text, bare numbers, booleans and strings, and what is nested
 * too deep to be data.
 */
export function parseJsonOutput(output: unknown): unknown {
	if (typeof output !== 'string') return output;
	const text = withoutFence(output.trim());
	if (!text.startsWith('{') && !text.startsWith('[')) return output;
	const data = parseJson(text);
	return typeof data === 'string' ? output : data;
}

// Without a pattern: one that allows for any space takes quadratic time on a lot of it.
function withoutFence(text: string): string {
	const firstLine = /^```[\w-]{0,40}/.exec(text)?.[0];
	if (firstLine === undefined || !text.endsWith(FENCE)) return text;
	return text.slice(firstLine.length, -FENCE.length).trim();
}
