/** The maximum length of a status or a name in a message. */
export const MAX_NAME_CHARACTERS = 80;

const MAX_CHARACTERS = 500;
// Replacing runs over a bounded text only, however much the service has sent.
const READ_PER_SHOWN = 20;

/**
 * Text from outside, safe to show: one short line without markup, since n8n renders messages as
 * HTML.
 */
export function toPlainText(text: string, maxCharacters = MAX_CHARACTERS): string {
	const plain = withoutMarkup(text.slice(0, maxCharacters * READ_PER_SHOWN));
	if (plain.length <= maxCharacters) return plain;
	return `${plain.slice(0, maxCharacters - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** The same for a message of our own that may contain such text: nothing is cut. */
export function withoutMarkup(text: string): string {
	return text
		.replace(/\p{Cs}/gu, '�')
		.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
		.replaceAll('<', '‹')
		.replaceAll('>', '›')
		.trim();
}
