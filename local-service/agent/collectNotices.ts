import type { JobBrowser } from '../browser/JobBrowser';

/** A page can cause any number of refusals and dialogs. */
const MAX_PER_STEP = 10;

/** Collects a browser's notices from one step to the next, each once. */
export function collectNotices(browser: JobBrowser) {
	const notices = new Set<string>();
	const stop = browser.onNotice((notice) => {
		if (notices.size < MAX_PER_STEP) notices.add(notice);
	});

	return {
		/** The notices since the last call. */
		take(): string[] {
			const lines = [...notices];
			notices.clear();
			return lines;
		},
		stop,
	};
}
