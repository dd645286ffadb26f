/** The maximum length of a status or a name in a message. */
export const MAX_NAME_CHARACTERS = 80;

const MAX_CHARACTERS = 500;
// How many characters to read for each one that may be shown. Bounds the work of the replacements.
const READ_PER_SHOWN = 20;

/**
 * Makes text from outside safe to show: one line of at most `maxCharacters`, without markup because
 * n8n renders messages as HTML.
 */
export function toPlainText(text: string, maxCharacters = MAX_CHARACTERS): string {
	const plain = withoutMarkup(text.slice(0, maxCharacters * READ_PER_SHOWN));
	if (plain.length <= maxCharacters) return plain;
	return `${plain.slice(0, maxCharacters - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** Ends a text with a full stop, unless it has an end of its own or is empty. */
export function withFullStop(text: string): string {
	return text === '' || /[.!?…]['"’”)\]]*$/u.test(text) ? text : `${text}.`;
}

/** Lets a sentence follow a colon, unless it begins with an abbreviation. */
export function lowerFirst(text: string): string {
	return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** Makes our own text, of any length, safe to show if it contains text from outside. */
export function withoutMarkup(text: string): string {
	return text
		.replace(/\p{Cs}/gu, '�')
		.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
		.replaceAll('<', '‹')
		.replaceAll('>', '›')
		.trim();
}

const WEB_ADDRESS = /^https?:\/\//i;

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'"': '&quot;',
	"'": '&#39;',
	'<': '&lt;',
	'>': '&gt;',
};

/**
 * Returns an address as a link in HTML, for texts that n8n's editor renders. Unless another text is
 * given, the link shows the whole address, so that it is complete where nobody renders it. An
 * address that is not `http:` or `https:` is returned as it is. `url` and `text` must be safe to
 * show as text.
 */
export function toHtmlLink(url: string, text = url): string {
	if (!WEB_ADDRESS.test(url)) return url;
	const attribute = url.replace(/[&"'<>]/g, (character) => ENTITIES[character] ?? '');
	return `<a href="${attribute}" target="_blank">${text}</a>`;
}
