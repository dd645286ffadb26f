import { isObject } from '../isObject';
import type { HttpResponse } from './httpResponse';
import { parseWithAllDigits, stringifyWithAllDigits } from './parseJson';
import type { Redactor } from './redact';

const MAX_FIELD_ERRORS = 5;
const MAX_STRING_CHARACTERS = 100;
// At most 500 characters are shown. What comes later is not looked at.
const MAX_JSON_CHARACTERS = 2_000;
// `input` repeats the request, which may contain secrets, and `cdp_url` is one.
const OMITTED = ['input', 'cdp_url'];

/**
 * Returns what the body of a response says, redacted, on one line of at most 500 characters: its
 * `detail` if that is text, what a 422 says about fields, or else all of it as JSON, since it may
 * contain the ID of a job under any name. JSON is shown without `null`, `input` and `cdp_url`, each
 * text cut at 100 characters, and numbers with all their digits. '' if there is nothing to quote.
 */
export function quoteBody(
	{ body, text }: Pick<HttpResponse, 'body' | 'text'>,
	redactor: Redactor,
): string {
	if (typeof body === 'string') return redactor.toPlainText(body);
	const detail = isObject(body) ? body.detail : undefined;
	const words = typeof detail === 'string' ? detail.trim() : fieldErrorsIn(detail);
	return redactor.toPlainText(words === '' ? toJson({ body, text }, redactor) : words);
}

/** Returns what a 422 says about fields: where each is in the request, and what is wrong. */
function fieldErrorsIn(detail: unknown): string {
	if (!Array.isArray(detail)) return '';
	const errors = detail.slice(0, MAX_FIELD_ERRORS).map((entry: unknown) => {
		const reason = isObject(entry) && typeof entry.msg === 'string' ? entry.msg : '';
		const path = pathOf(entry);
		return path === '' || reason === '' ? reason : `'${path}': ${reason}`;
	});
	return errors.filter((one) => one !== '').join('; ');
}

function pathOf(entry: unknown): string {
	const loc = isObject(entry) ? entry.loc : undefined;
	if (!Array.isArray(loc)) return '';
	const names = loc.filter((part) => typeof part === 'string' || typeof part === 'number');
	return (names[0] === 'body' ? names.slice(1) : names).join('.');
}

function toJson({ body, text }: Pick<HttpResponse, 'body' | 'text'>, redactor: Redactor): string {
	let charactersLeft = MAX_JSON_CHARACTERS;
	// Redacted before it is cut: half a secret would not be found.
	const shorten = (value: string) => redactor.redact(value).slice(0, MAX_STRING_CHARACTERS);
	const shown = (value: unknown): unknown => {
		if (charactersLeft <= 0 || (value ?? undefined) === undefined) return undefined;
		if (typeof value !== 'object') {
			const short = typeof value === 'string' ? shorten(value) : value;
			charactersLeft -= String(short).length + 1;
			return short;
		}
		// Counting brackets also bounds the depth of the recursion.
		charactersLeft -= 2;
		if (Array.isArray(value)) return value.map(shown).filter((one) => one !== undefined);
		const fields = Object.entries(value as object)
			.filter(([name]) => !OMITTED.includes(name))
			.map(([name, field]) => [shorten(name), shown(field)] as const);
		return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
	};
	const data = text === undefined ? body : parseWithAllDigits(text);
	const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';
	// A blank `detail` says nothing.
	const { detail, ...others } = isObject(data) ? data : {};
	const json = stringifyWithAllDigits(shown(isBlank(detail) ? others : data));
	return json === '{}' || json === '[]' ? '' : json;
}
