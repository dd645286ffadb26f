import { parseJson } from '../service/parseJson';
import { FENCE, findFenced } from '../structuredOutput/findJson';
import { MB } from '../units';

/**
 * Parses an output that is the JSON text of an object or array, bare or in one code fence. Returns
 * any other output unchanged: other text, bare scalars, anything over 1 MB or nested too deeply.
 */
export function parseJsonOutput(output: unknown): unknown {
	if (typeof output !== 'string' || Buffer.byteLength(output) > MB) return output;
	const text = output.trim();
	const isFenced = text.startsWith(FENCE) && text.endsWith(FENCE);
	const json = isFenced ? (findFenced(text) ?? '') : text;
	if (!json.startsWith('{') && !json.startsWith('[')) return output;
	const data = parseJson(json);
	return typeof data === 'string' ? output : data;
}
