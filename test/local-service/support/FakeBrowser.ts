import type {
	DownloadedFile,
	JobBrowser,
	PersonInput,
} from '../../../local-service/browser/JobBrowser';

/** A browser without Chromium, which notes what is done to it. */
export class FakeBrowser implements JobBrowser {
	readonly downloads: DownloadedFile[] = [];
	readonly entered: PersonInput[] = [];
	/** Ended with `close`; for a borrowed browser, the loan. */
	isClosed = false;
	borrowed: FakeBrowser[] = [];
	/** Holds `finishDownloads`. */
	downloading: Promise<void> = Promise.resolve();

	constructor(
		readonly cdpUrl?: string,
		private readonly death = new AbortController(),
	) {}

	get gone(): AbortSignal {
		return this.death.signal;
	}

	dies(reason: Error): void {
		this.death.abort(reason);
	}

	page(): never {
		throw new Error('A fake browser has no page');
	}

	onNotice(): () => void {
		return () => {};
	}

	async screenshot(): Promise<Buffer> {
		return Buffer.from('jpeg');
	}

	async input(event: PersonInput): Promise<void> {
		this.entered.push(event);
	}

	async finishDownloads(): Promise<void> {
		await this.downloading;
	}

	borrow(): FakeBrowser {
		const loan = new FakeBrowser(this.cdpUrl, this.death);
		this.borrowed.push(loan);
		return loan;
	}

	async close(): Promise<void> {
		this.isClosed = true;
	}
}
