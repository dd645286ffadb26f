import type { PageLink } from '../errors/htmlLink';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import { hasFinalStatus } from './status';

const WEB_LINK = /^https?:\/\/\S+$/i;

/**
 * Returns links to the live view, unless the job has ended, and the history of the session's job,
 * for an error or a hint. Leaves out an address that can't be shown as it is, e.g. because it is
 * too long or contains a secret: the link would lead nowhere. `job`: as last seen; undefined if it
 * was never seen.
 */
export function jobLinks({ client, entry }: JobSession, job: Job | undefined): PageLink[] {
	const { started } = entry.known;
	const isOver = job !== undefined && hasFinalStatus(job);
	const links = [
		{ name: 'Live view', url: isOver ? undefined : (job?.live_url ?? started?.live_url) },
		{ name: 'History', url: job?.history_url ?? started?.history_url },
	];
	return links.flatMap(({ name, url = '' }) => {
		const isSafe = client.redactor.toPlainText(url) === url;
		return isSafe && WEB_LINK.test(url) ? [{ name, url }] : [];
	});
}
