import type { Job } from '../state/Job';

/** The web platform is the admin face's view of the job, so that the links lead somewhere. */
export function jobLinks(job: Job, url: string) {
	const { ownBrowser } = job.start;
	const history = `${url}/_sandbox/jobs/${job.id}`;
	return {
		live_url: ownBrowser ? (ownBrowser.liveUrl ?? null) : `${history}?view=live`,
		cdp_url: ownBrowser?.cdpUrl ?? `wss://cdp.sandbox.invalid/${job.id}?token=${job.cdpToken}`,
		history_url: history,
	};
}
