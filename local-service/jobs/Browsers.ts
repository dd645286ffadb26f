import { Refusal } from '../../api/backend';
import type { JobBrowser } from '../browser/JobBrowser';
import type { BrowserRequest } from '../browser/openBrowser';
import type { Clock } from './clock';
import type { Job } from './Job';

const MINUTE_MS = 60_000;
const MAX_KEPT_MS = 6 * 60 * MINUTE_MS;
const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** What a job asks of its browser. */
export interface BrowserWish {
	width: number;
	height: number;
	/** The address of a browser that runs already: the user's own, or one that a job has kept. */
	cdpUrl?: string;
	keepOpen: boolean;
	useProfile: boolean;
	/** How long a kept browser stays open unused. */
	idleTimeoutMinutes: number;
}

/** A browser that was asked for with `keep_browser_open`, from its start on. */
interface KeptBrowser {
	browser: JobBrowser;
	owner: Job;
	wish: BrowserWish;
	/** The job that uses it now: first its owner, then one that was given its address. */
	user: Job | undefined;
	/** Since when nobody uses it, and when it is closed at the latest; in ms since 1970. */
	unusedSince: number;
	closesAt: number;
	stopTimer(): void;
}

/**
 * The browsers of a service: the one profile, of which there is one browser at a time, and those
 * that are kept open after their job, each used by one job at a time.
 */
export class Browsers {
	private readonly kept = new Set<KeptBrowser>();
	/** The job that was given the profile last. */
	private profileUser: Job | undefined;
	/** Resolves when no browser has the profile's folder open. */
	private profileClosed: Promise<void> = Promise.resolve();

	constructor(
		private readonly parts: {
			clock: Clock;
			profileFolder: string;
			openBrowser(request: BrowserRequest, signal: AbortSignal): Promise<JobBrowser>;
			/** A browser is kept now: there may be too many. */
			onKept(): void;
		},
	) {}

	/** The kept browsers that nobody uses, with the time since when. */
	get unused(): { since: number; close: () => void }[] {
		return [...this.kept]
			.filter(({ user }) => user === undefined)
			.map((kept) => ({ since: kept.unusedSince, close: () => void this.closeKept(kept) }));
	}

	/** Whether this is a browser that another job has kept open. */
	isKept(wish: BrowserWish): boolean {
		return this.findKept(wish) !== undefined;
	}

	/** Throws a Refusal if another job has what this one needs. */
	check(wish: BrowserWish): void {
		if (this.findKept(wish)?.user) {
			throw new Refusal(429, 'Another job uses the browser with this cdp_url');
		}
		if (wish.useProfile && this.isProfileBusy()) {
			throw new Refusal(429, 'Another job, or a browser that is kept open, uses the profile');
		}
	}

	/** Gives a job that is about to begin what `check` has allowed. */
	reserve(wish: BrowserWish, job: Job): void {
		const kept = this.findKept(wish);
		if (kept) {
			kept.stopTimer();
			kept.user = job;
		}
		if (wish.useProfile) this.profileUser = job;
	}

	/** Opens the browser of a job. Rejects with a JobFailure. */
	async open(
		wish: BrowserWish,
		job: Job,
		downloadFolder: string,
		signal: AbortSignal,
	): Promise<JobBrowser> {
		const used = [...this.kept].find(({ user }) => user === job);
		if (used) return used.browser.borrow(downloadFolder);

		if (wish.useProfile) await this.profileClosed;
		const opening = this.parts.openBrowser(
			{
				width: wish.width,
				height: wish.height,
				ownCdpUrl: wish.cdpUrl,
				keepOpen: wish.keepOpen,
				profileFolder: wish.useProfile ? this.parts.profileFolder : undefined,
				downloadFolder,
			},
			signal,
		);
		if (wish.useProfile) this.profileClosed = opening.then(() => job.released).catch(() => {});
		const browser = await opening;
		if (!wish.keepOpen) return browser;
		this.addKept(browser, job, wish);
		return browser.borrow(downloadFolder);
	}

	/** Closes the browser of a job that has ended, or keeps it open. Never rejects. */
	async release(browser: JobBrowser, job: Job): Promise<void> {
		const kept = [...this.kept].find(({ user }) => user === job);
		await browser.close();
		if (!kept || !this.kept.has(kept)) return;

		const isOwner = kept.owner === job;
		if (isOwner && job.status !== 'completed') return await this.closeKept(kept);
		const now = this.parts.clock.now();
		kept.user = undefined;
		kept.unusedSince = now;
		if (isOwner) kept.closesAt = now + MAX_KEPT_MS;
		const idleMs = kept.wish.idleTimeoutMinutes * MINUTE_MS;
		kept.stopTimer = this.parts.clock.after(Math.min(idleMs, kept.closesAt - now), () => {
			void this.closeKept(kept);
		});
		this.parts.onKept();
	}

	/** Closes all that is kept open. */
	async close(): Promise<void> {
		await Promise.all([...this.kept].map(async (kept) => await this.closeKept(kept)));
	}

	private addKept(browser: JobBrowser, owner: Job, wish: BrowserWish): void {
		const kept: KeptBrowser = {
			browser,
			owner,
			wish,
			user: owner,
			unusedSince: 0,
			closesAt: Infinity,
			stopTimer: () => {},
		};
		this.kept.add(kept);
		browser.gone.addEventListener('abort', () => {
			if (kept.user !== owner) void this.closeKept(kept);
		});
	}

	private async closeKept(kept: KeptBrowser): Promise<void> {
		if (!this.kept.delete(kept)) return;
		kept.stopTimer();
		kept.owner.forgetCdpUrl();
		const closing = kept.browser.close();
		if (kept.wish.useProfile) this.profileClosed = closing;
		await closing;
	}

	private findKept({ cdpUrl }: BrowserWish): KeptBrowser | undefined {
		if (cdpUrl === undefined) return undefined;
		return [...this.kept].find((kept) => isSameBrowser(kept.browser.cdpUrl, cdpUrl));
	}

	private isProfileBusy(): boolean {
		if (this.profileUser && !this.profileUser.hasEnded) return true;
		return [...this.kept].some(({ wish }) => wish.useProfile);
	}
}

/** Whether two DevTools addresses on this machine lead to the same port. */
function isSameBrowser(one: string | undefined, other: string): boolean {
	const [first, second] = [one ?? '', other].map((text) =>
		URL.canParse(text) ? new URL(text) : undefined,
	);
	if (!first || !second || first.port !== second.port) return false;
	return [first, second].every(({ hostname }) => LOOPBACK_NAMES.has(hostname));
}
