import type { OutputUnit } from '@cfworker/json-schema';

import { PATTERN_FORMAT } from './adaptSchema';
import { APPLICATORS } from './subschemas';

const MAX_MISMATCHES = 3;
// Their errors only say that there are errors further inside, which follow.
const WRAPPERS = ['$ref', ...APPLICATORS.keys()].filter((keyword) => !isAlternative(keyword));
// The library's own words.
const MISSING = /^Instance does not have required property "(.*)"\.$/s;
const WRONG_TYPE = /^Instance type "(.*)" is invalid\. Expected "(.*)"\.$/;
const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** The first three mismatches as a user understands them, e.g. "items[0].price: must be number, not string". */
export function describeMismatches(errors: OutputUnit[]): string[] {
	const described = new Set<string>();
	let alternatives = '';
	for (const error of errors) {
		if (described.size === MAX_MISMATCHES) break;
		if (WRAPPERS.includes(error.keyword)) continue;
		if (alternatives !== '' && error.keywordLocation.startsWith(alternatives)) continue;
		alternatives = isAlternative(error.keyword) ? `${error.keywordLocation}/` : '';
		described.add(describe(error));
	}
	return [...described];
}

function isAlternative(keyword: string): boolean {
	return APPLICATORS.get(keyword)?.isAlternative === true;
}

function describe({ keyword, instanceLocation, error }: OutputUnit): string {
	const names = instanceLocation.split('/').slice(1).map(decoded);
	const [, missing] = MISSING.exec(error) ?? [];
	if (missing !== undefined) return `${toPath([...names, missing])}: is missing`;
	return `${toPath(names)}: ${toWords(keyword, error)}`;
}

/** A path as in an expression, e.g. `items[0].price`; the output itself is `output`. */
function toPath(names: string[]): string {
	const path = names.map((name) => {
		if (/^\d+$/.test(name)) return `[${name}]`;
		return IDENTIFIER.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
	});
	return path.join('').replace(/^\./, '') || 'output';
}

function toWords(keyword: string, error: string): string {
	if (keyword === 'false') return 'is not allowed';
	const [, actual, expected] = WRONG_TYPE.exec(error) ?? [];
	if (expected !== undefined)
		return `must be ${expected.replaceAll('", "', ' or ')}, not ${actual}`;
	const words = error
		.replace(/^Instance /, '')
		.replace(/\.$/, '')
		.replace(`format "${PATTERN_FORMAT}`, 'pattern "');
	return words.charAt(0).toLowerCase() + words.slice(1);
}

function decoded(name: string): string {
	return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
}
