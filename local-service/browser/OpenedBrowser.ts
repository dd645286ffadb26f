import type { BrowserContext } from 'playwright-core';

import type { DownloadSource } from './Downloads';

/** A browser that runs, launched or connected to. */
export interface OpenedBrowser {
	context: BrowserContext;
	/** Address of its DevTools, if it has been launched with some. */
	cdpUrl?: string;
	downloads: DownloadSource;
	/** Why the service has ended it, in a sentence, if it was by force. */
	whyEnded?(): string | undefined;
	/** Ends it, or the connection to it, with all that belongs to it. */
	end(): Promise<void>;
}
