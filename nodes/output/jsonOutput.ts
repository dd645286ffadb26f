import { parseJson } from '../service/parseJson';
import { findOnlyJson, isObjectOrArray } from '../structuredOutput/findJson';
import { MB } from '../units';

/**
 * Parses an output that is the JSON text of an object or array, as a whole or in its only code
 * fence. Returns any other output unchanged: other text, bare scalars, anything over 1 MB or nested
 * too deeply.
 */
export function parseJsonOutput(output: unknown): unknown {
	if (typeof output !== 'string' || Buffer.byteLength(output) > MB) return output;
	const json = findOnlyJson(output) ?? '';
	if (!isObjectOrArray(json)) return output;
	const data = parseJson(json);
	return typeof data === 'string' ? output : data;
}
