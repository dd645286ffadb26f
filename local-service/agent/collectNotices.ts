import type { JobBrowser } from '../browser/JobBrowser';

/** A page can cause any number of refusals and dialogs. */
const MAX_PER_STEP = 10;

/** Collects a browser's notices from one step to the next, each once. */
export function collectNotices(browser: JobBrowser) {
	const notices = new Map<string, number>();
	const stop = browser.onNotice((notice) => {
		if (notices.has(notice) || notices.size < MAX_PER_STEP) {
			notices.set(notice, (notices.get(notice) ?? 0) + 1);
		}
	});

	return {
		/** The notices since the last call, with the number of times. */
		take(): string[] {
			const lines = [...notices].map(([notice, times]) =>
				times === 1 ? notice : `${notice} (${times} times)`,
			);
			notices.clear();
			return lines;
		},
		stop,
	};
}
