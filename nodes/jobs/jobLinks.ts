import type { ErrorLink } from '../errors/UserError';
import type { Job } from '../service/types';
import type { JobSession } from './JobSession';
import { hasEnded } from './status';

const WEB_LINK = /^https?:\/\/\S+$/i;

/**
 * Where a person can see the session's job and act, for an error. `job`: as last seen; undefined:
 * it was never seen.
 */
export function jobLinks({ client, entry }: JobSession, job: Job | undefined): ErrorLink[] {
	const { started } = entry.known;
	const isOver = job !== undefined && hasEnded(job);
	const links = [
		{ name: 'Live view', url: isOver ? undefined : (job?.live_url ?? started?.live_url) },
		{ name: 'History', url: job?.history_url ?? started?.history_url },
	];
	return links.flatMap(({ name, url = '' }) =>
		WEB_LINK.test(url) ? [{ name, url: client.redactor.toPlainText(url) }] : [],
	);
}
