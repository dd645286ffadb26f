import type { Job } from '../state/Job';

/** Returns the URL fields of a job. The admin API serves as the web platform. */
export function jobLinks(job: Job, url: string) {
	const { ownBrowser } = job.start;
	const jobUrl = `${url}/_sandbox/jobs/${job.id}`;
	return {
		live_url: ownBrowser ? (ownBrowser.liveUrl ?? null) : `${jobUrl}/live`,
		cdp_url: ownBrowser?.cdpUrl ?? `wss://cdp.sandbox.invalid/${job.id}?token=${job.cdpToken}`,
		history_url: `${jobUrl}/history`,
	};
}
