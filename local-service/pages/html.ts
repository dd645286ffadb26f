/** HTML that may be inserted into a page as it is. */
export class Html {
	constructor(readonly text: string) {}
}

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

/**
 * Makes HTML of a template. Values are escaped, for text and for attributes in quotes; `Html` and
 * lists of it are inserted, and nothing is for `undefined`.
 */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Html {
	const parts = strings.map((part, index) => {
		return index < values.length ? part + toMarkup(values[index]) : part;
	});
	return new Html(parts.join(''));
}

function toMarkup(value: unknown): string {
	if (value === undefined) return '';
	if (value instanceof Html) return value.text;
	if (Array.isArray(value)) return value.map(toMarkup).join('');
	return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
