import { untilAborted, within } from '../abort';
import { JobFailure } from '../JobFailure';
import type { Settings } from '../settings';
import { SettingError } from '../SettingError';
import { startProblem } from './chromium';
import { connect } from './connect';
import { Downloads } from './Downloads';
import { enterInput } from './enterInput';
import type { JobBrowser } from './JobBrowser';
import { launch, type LaunchOptions } from './launch';
import type { OpenedBrowser } from './OpenedBrowser';
import { Tabs } from './Tabs';

/** What a job asks of its browser. */
export interface BrowserRequest extends LaunchOptions {
	/** DevTools address of the user's own browser. None of the launch options counts then. */
	ownCdpUrl?: string;
	/** The job's folder for what is downloaded. It must exist. */
	downloadFolder: string;
}

const END_LIMIT_MS = 10_000;
const SCREENSHOT_LIMIT_MS = 5000;

const MAX_FILES = 50;
/** What a job downloads may take this long after its agent's end. */
const MAX_FINISH_MS = 5 * 60_000;
const MAX_BYTES = 2 ** 30;

/**
 * Opens a job's browser. Throws a JobFailure when it can't be opened, and the signal's reason when
 * it is aborted before the browser is there. Then nothing is left of it: a browser that arrives
 * late is closed first, so that another job can have its profile.
 */
export async function openBrowser(
	request: BrowserRequest,
	settings: Settings,
	signal: AbortSignal,
): Promise<JobBrowser> {
	signal.throwIfAborted();
	// Each part has a limit, so this ends in any case.
	const opening = open(request, settings);
	try {
		return await untilAborted(opening, signal);
	} catch (error) {
		if (signal.aborted) {
			await opening.then(
				async (browser) => await browser.close(),
				() => {},
			);
			throw signal.reason;
		}
		if (error instanceof JobFailure) throw error;
		if (error instanceof SettingError) throw new JobFailure(error.message);
		throw new JobFailure(startProblem(error, settings));
	}
}

async function open(request: BrowserRequest, settings: Settings): Promise<JobBrowser> {
	const { ownCdpUrl, downloadFolder } = request;
	const listeners = new Set<(notice: string) => void>();
	const notify = (notice: string) => {
		for (const listener of listeners) listener(notice);
	};
	const opened =
		ownCdpUrl === undefined
			? await launch(request, settings, notify)
			: await connect(ownCdpUrl, settings);

	try {
		return await share(opened, { downloadFolder, settings, listeners, notify });
	} catch (error) {
		await within(END_LIMIT_MS, opened.end()).catch(() => {});
		if (ownCdpUrl === undefined) throw error;
		throw new JobFailure('The browser at cdp_url is there, but opens no tab: does it hang?');
	}
}

interface Sharing {
	downloadFolder: string;
	settings: Settings;
	listeners: Set<(notice: string) => void>;
	notify(notice: string): void;
}

/** Gives a browser that runs to a job, and to further ones that borrow it. */
async function share(
	{ context, cdpUrl, downloads: source, whyEnded, end }: OpenedBrowser,
	{ downloadFolder, settings, listeners, notify }: Sharing,
): Promise<JobBrowser> {
	// Of the job that has the browser now. Without one, nothing is downloaded.
	let current: Downloads | undefined;
	const tabs = await Tabs.follow(context, {
		onNotice: notify,
		onDownload(download) {
			if (current) current.begin(download);
			else void download.cancel().catch(() => {});
		},
	});

	const gone = new AbortController();
	let closing: Promise<void> | undefined;
	context.on('close', () => {
		if (closing) return;
		gone.abort(new JobFailure(whyEnded?.() ?? "The job's browser has ended by itself"));
	});
	const closeAll = async () => {
		tabs.end();
		current?.stop();
		await within(END_LIMIT_MS, end()).catch(() => {});
	};

	const enter = enterInput(tabs);
	const give = (folder: string, closeOnce: () => Promise<void>): JobBrowser => {
		const maxFileBytes = settings.maxDownloadMb * 2 ** 20;
		const limits = {
			maxFileBytes,
			maxBytes: MAX_BYTES,
			maxFiles: MAX_FILES,
			maxFinishMs: MAX_FINISH_MS,
		};
		const downloads = new Downloads(folder, source, limits, notify);
		current = downloads;
		return {
			page: () => tabs.page(),
			cdpUrl,
			downloads: downloads.files,
			gone: gone.signal,
			input: enter,
			onNotice(listener) {
				listeners.add(listener);
				return () => listeners.delete(listener);
			},
			async screenshot() {
				const options = { type: 'jpeg', quality: 60, scale: 'css', caret: 'initial' } as const;
				const picture = tabs.page().screenshot({ ...options, timeout: SCREENSHOT_LIMIT_MS });
				return await within(SCREENSHOT_LIMIT_MS, picture).catch(() => undefined);
			},
			borrow: (otherFolder) =>
				give(otherFolder, async () => {
					current?.stop();
					current = undefined;
				}),
			finishDownloads: async (signal) => await downloads.finish(signal),
			close: closeOnce,
		};
	};
	return give(downloadFolder, async () => await (closing ??= closeAll()));
}
