import type { PageLink } from '../errors/plainText';
import type { Redactor } from '../service/redact';
import type { Job } from '../service/types';
import type { Work } from './Work';

const WEB_LINK = /^https?:\/\/\S+$/i;

/** Returns links to the pages of an item's job, for an error or a hint. */
export function jobLinks({ client, job: { record } }: Work): PageLink[] {
	return pageLinks(client.redactor, record, record.state === 'ended');
}

/**
 * Returns links to the live view of a job, unless it has ended, and to its history. Leaves out an
 * address that can't be shown as it is, e.g. because it is too long or contains a secret: the link
 * would lead nowhere.
 */
export function pageLinks(
	redactor: Redactor,
	{ live_url, history_url }: Pick<Job, 'live_url' | 'history_url'>,
	hasEnded: boolean,
): PageLink[] {
	const links = [
		{ name: 'Live view', url: hasEnded ? undefined : live_url },
		{ name: 'History', url: history_url },
	];
	return links.flatMap(({ name, url = '' }) => {
		const isSafe = redactor.toPlainText(url) === url;
		return isSafe && WEB_LINK.test(url) ? [{ name, url }] : [];
	});
}
