const WEB_ADDRESS = /^https?:\/\//i;

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'"': '&quot;',
	"'": '&#39;',
	'<': '&lt;',
	'>': '&gt;',
};

/** A page where the user can see more, or act. */
export interface PageLink {
	/** What it shows, e.g. "History". */
	name: string;
	/** Safe to show as text. */
	url: string;
}

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
