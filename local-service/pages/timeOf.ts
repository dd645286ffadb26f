import { type Html, html } from './html';

/** Shows a time in ms since 1970, in UTC; nothing if it is none. */
export function timeOf(ms: number): Html | string {
	if (!Number.isFinite(ms)) return '';
	const iso = new Date(ms).toISOString();
	return html`<time datetime="${iso}">${iso.replace('T', ' ').replace(/\..*/, ' UTC')}</time>`;
}
