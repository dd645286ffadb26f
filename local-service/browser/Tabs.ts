import type { BrowserContext, Dialog, Download, Page } from 'playwright-core';

import { within } from '../abort';

/** What tabs report. */
export interface TabEvents {
	onNotice(notice: string): void;
	onDownload(download: Download): void;
}

/** A page can open any number. */
const MAX_NEW_TABS = 20;
const NEW_TAB_LIMIT_MS = 10_000;
/** More than is kept: a cut before passwords are hidden could leave the beginning of one. */
const MAX_QUOTED_CHARACTERS = 10_000;

/**
 * Follows the tabs of a browser: a new one comes to the front, the last one when a tab closes, and
 * an empty one when none is left or a page has crashed. Dialogs are dismissed.
 */
export class Tabs {
	private front: Page;
	private readonly opened = new Set<Page>();
	private isEnding = false;

	private constructor(
		private readonly context: BrowserContext,
		front: Page,
		private readonly events: TabEvents,
	) {
		this.front = front;
	}

	/** Begins with the last tab that is there, or a new one. */
	static async follow(context: BrowserContext, events: TabEvents): Promise<Tabs> {
		const front = context.pages().at(-1) ?? (await within(NEW_TAB_LIMIT_MS, context.newPage()));
		const tabs = new Tabs(context, front, events);
		context.on('page', (page) => tabs.add(page));
		for (const page of context.pages()) tabs.watch(page);
		return tabs;
	}

	/** The tab in front. */
	page(): Page {
		return this.front;
	}

	/** From now on tabs close because the browser does. */
	end(): void {
		this.isEnding = true;
	}

	private add(page: Page): void {
		if (this.opened.size >= MAX_NEW_TABS) {
			this.events.onNotice(`Closed a new tab: ${MAX_NEW_TABS} are open`);
			void page.close().catch(() => {});
			return;
		}
		this.opened.add(page);
		this.front = page;
		this.watch(page);
	}

	private watch(page: Page): void {
		page.on('dialog', (dialog) => void this.dismiss(dialog));
		page.on('download', (download) => this.events.onDownload(download));
		page.on('crash', () => {
			this.events.onNotice('The page has crashed, and its tab was closed');
			void this.replace(page);
		});
		page.on('close', () => {
			this.opened.delete(page);
			if (page === this.front && !this.isEnding) void this.bringAnother();
		});
	}

	private async dismiss(dialog: Dialog): Promise<void> {
		// The question whether to leave a page: dismissing it would mean to stay.
		if (dialog.type() === 'beforeunload') {
			await dialog.accept().catch(() => {});
			return;
		}
		const message = dialog.message().replace(/\s+/g, ' ').slice(0, MAX_QUOTED_CHARACTERS);
		this.events.onNotice(`Dismissed a dialog (${dialog.type()}): ${JSON.stringify(message)}`);
		await dialog.dismiss().catch(() => {});
	}

	private async replace(crashed: Page): Promise<void> {
		await this.bringAnother(crashed);
		await crashed.close().catch(() => {});
	}

	private async bringAnother(except?: Page): Promise<void> {
		const other = this.context
			.pages()
			.filter((page) => page !== except && !page.isClosed())
			.at(-1);
		try {
			this.front = other ?? (await within(NEW_TAB_LIMIT_MS, this.context.newPage()));
		} catch {
			if (!this.isEnding)
				this.events.onNotice('There is no tab left, and no new one can be opened');
		}
	}
}
