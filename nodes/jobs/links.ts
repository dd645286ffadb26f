import type { Redactor } from '../service/redact';
import type { Job } from '../service/types';
import type { Work } from './Work';

const WEB_LINK = /^https?:\/\/\S+$/i;

/** Returns the URLs of the pages of an item's job by their names, for an error or a hint. */
export function jobLinks({ client, job: { record } }: Work): Record<string, string> {
	return pageLinks(client.redactor, record, record.state === 'ended');
}

/**
 * Returns the URLs of the live view of a job, unless it has ended, and of its history, by their
 * names. Leaves out an address that can't be shown as it is, e.g. because it is too long or has
 * a secret in it: the link would lead nowhere.
 */
export function pageLinks(
	redactor: Redactor,
	{ live_url, history_url }: Pick<Job, 'live_url' | 'history_url'>,
	hasEnded: boolean,
): Record<string, string> {
	const pages = { 'Live view': hasEnded ? undefined : live_url, History: history_url };
	const links = Object.entries(pages).flatMap(([name, url = '']) => {
		const isSafe = redactor.toPlainText(url) === url;
		return isSafe && WEB_LINK.test(url) ? [[name, url]] : [];
	});
	return Object.fromEntries(links) as Record<string, string>;
}
