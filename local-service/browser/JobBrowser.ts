import type { Page } from 'playwright-core';

/** A file that the browser has downloaded for a job. */
export interface DownloadedFile {
	/** As the site names it, cleaned: no path, no control characters. Not unique. */
	filename: string;
	/** On disk, under a generated name in the job's folder. */
	path: string;
	/** Bytes. */
	size: number;
	/** A media type that a client may show: PDF, image, CSV, JSON, or application/octet-stream. */
	contentType: string;
}

/** What a person enters who has taken over. Positions are in pixels of the browser's picture. */
export type PersonInput =
	| { type: 'move'; x: number; y: number }
	| { type: 'down' | 'up'; x: number; y: number; button?: 'left' | 'middle' | 'right' }
	| { type: 'wheel'; x: number; y: number; deltaX: number; deltaY: number }
	/** A key by its name in `KeyboardEvent.key`, with modifiers before it: `Control+a`. */
	| { type: 'key'; key: string }
	/** Text that is entered at once, such as what was pasted. */
	| { type: 'text'; text: string };

/** A job's browser: launched behind a guard of its own, or connected by its DevTools address. */
export interface JobBrowser {
	/** The tab in front: it follows new tabs, and is the last one when a tab closes. */
	page(): Page;

	/** Address of the DevTools of a browser that is kept open. */
	readonly cdpUrl?: string;

	/** What the job has downloaded so far. */
	readonly downloads: readonly DownloadedFile[];

	/**
	 * Calls the listener with one line for each thing that was refused, dismissed or failed without
	 * the agent's doing: a private address, a dialog, a file over the limit. Returns a function that
	 * unsubscribes it.
	 */
	onNotice(listener: (notice: string) => void): () => void;

	/** Aborted, with a JobFailure as its reason, when the browser ends by itself. */
	readonly gone: AbortSignal;

	/** The picture of the tab in front as a JPEG. Undefined when it can't be had within 5 s. */
	screenshot(): Promise<Buffer | undefined>;

	/** Enters what a person does, one after the other. Rejects when the page does not take it. */
	input(event: PersonInput): Promise<void>;

	/**
	 * Gives another job the same browser, with downloads and notices of its own. When that job closes
	 * it, the browser stays open.
	 */
	borrow(downloadFolder: string): JobBrowser;

	/** Resolves when no download is under way. Rejects with the signal's reason. */
	finishDownloads(signal: AbortSignal): Promise<void>;

	/**
	 * Ends a launched browser with its guard, its temporary profile, and downloads under way, or
	 * disconnects from the user's own and leaves it open. Takes 10 s at most, never rejects, and does
	 * nothing the second time.
	 */
	close(): Promise<void>;
}
