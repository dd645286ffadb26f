import { MB } from '../service/httpResponse';
import { parseJson } from '../service/parseJson';
import { FENCE, findFenced } from '../structuredOutput/findJson';

/**
 * An output as data, if it is the JSON text of an object or array, bare or in one code fence.
 * Everything else stays as it is: other text, bare scalars, what has more than 1 MB or is nested
 * too deep to be data.
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
