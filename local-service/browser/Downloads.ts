import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import type { Download } from 'playwright-core';

import { untilAborted } from '../abort';
import { cleanFilename, contentTypeOf } from './cleanFilename';
import type { DownloadedFile } from './JobBrowser';

/** Where a browser writes what it downloads, under names that it generates. */
export interface DownloadSource {
	/** Chromium's own folder for unfinished files: `<id>.crdownload`, then `<id>`. */
	folder: string;
	/** Stops the download with this ID. */
	cancel(id: string): Promise<void>;
}

export interface DownloadLimits {
	/** Of one file, in bytes. */
	maxFileBytes: number;
	/** Of all files of a job, in bytes. */
	maxBytes: number;
	maxFiles: number;
	/** How long what is under way may take after the end of the agent, in ms. */
	maxFinishMs: number;
}

const CHECK_INTERVAL_MS = 250;

/** The downloads of one job: they end in the job's folder, or are stopped at a limit. */
export class Downloads {
	readonly files: DownloadedFile[] = [];

	private readonly running = new Set<Download>();
	private readonly pending = new Set<Promise<void>>();
	private watch: NodeJS.Timeout | undefined;
	/** Said in place of "was cancelled" for what the next check has stopped. */
	private exceeded: string | undefined;

	constructor(
		private readonly folder: string,
		private readonly source: DownloadSource,
		private readonly limits: DownloadLimits,
		private readonly onNotice: (notice: string) => void,
	) {}

	/** Takes over a download that has begun. */
	begin(download: Download): void {
		const filename = cleanFilename(download.suggestedFilename());
		if (this.files.length + this.pending.size >= this.limits.maxFiles) {
			void download.cancel().catch(() => {});
			this.onNotice(
				`Not downloaded: '${filename}' is above ${this.limits.maxFiles} files for a job`,
			);
			return;
		}

		this.running.add(download);
		const ended = this.take(download, filename).finally(() => {
			this.running.delete(download);
			this.pending.delete(ended);
			if (this.pending.size === 0) this.stopWatching();
		});
		this.pending.add(ended);
		this.watch ??= setInterval(() => void this.check(), CHECK_INTERVAL_MS);
	}

	/**
	 * Resolves when no download is under way, or stops those that take too long: a page can send a
	 * little for ever. Rejects with the signal's reason.
	 */
	async finish(signal: AbortSignal): Promise<void> {
		const isLate = AbortSignal.timeout(this.limits.maxFinishMs);
		const isOver = AbortSignal.any([signal, isLate]);
		try {
			while (this.pending.size > 0) await untilAborted(Promise.all(this.pending), isOver);
		} catch {
			signal.throwIfAborted();
			this.stop();
			this.onNotice('Not downloaded: what had not arrived when the job was over');
		}
	}

	/** Stops what is under way. */
	stop(): void {
		for (const download of this.running) void download.cancel().catch(() => {});
		this.stopWatching();
	}

	private stopWatching(): void {
		clearInterval(this.watch);
		this.watch = undefined;
	}

	private async take(download: Download, filename: string): Promise<void> {
		try {
			const failure = await download.failure();
			if (failure !== null) {
				const reason = failure === 'canceled' ? (this.exceeded ?? 'it was cancelled') : failure;
				this.exceeded = undefined;
				this.onNotice(`Not downloaded: '${filename}' (${reason})`);
				return;
			}
			await this.keep(await download.path(), filename);
		} catch {
			this.onNotice(`Not downloaded: '${filename}' can't be read from the browser`);
		}
	}

	private async keep(downloaded: string, filename: string): Promise<void> {
		const { size } = await stat(downloaded);
		// A small file is there before the first check.
		const reason = this.reasonAgainst(size, this.keptBytes() + size);
		if (reason !== undefined) {
			await rm(downloaded, { force: true });
			this.onNotice(`Not downloaded: '${filename}' (${reason})`);
			return;
		}
		const target = path.join(this.folder, randomUUID());
		await rename(downloaded, target);
		this.files.push({ filename, path: target, size, contentType: contentTypeOf(filename) });
		this.onNotice(`Downloaded '${filename}' (${size.toLocaleString('en')} bytes)`);
	}

	private keptBytes(): number {
		return this.files.reduce((sum, { size }) => sum + size, 0);
	}

	private reasonAgainst(fileBytes: number, allBytes: number): string | undefined {
		const { maxFileBytes, maxBytes } = this.limits;
		if (fileBytes > maxFileBytes) return `more than ${toMb(maxFileBytes)} MB`;
		if (allBytes > maxBytes) return `more than ${toMb(maxBytes)} MB for a job`;
		return undefined;
	}

	/** Stops what is above a limit while it is being downloaded. */
	private async check(): Promise<void> {
		let allBytes = this.keptBytes();
		for (const name of await readdir(this.source.folder).catch(() => [])) {
			const size = await stat(path.join(this.source.folder, name)).then(
				(stats) => stats.size,
				() => 0,
			);
			allBytes += size;
			const reason = this.reasonAgainst(size, allBytes);
			if (reason === undefined) continue;
			this.exceeded = reason;
			await this.source.cancel(name.replace(/\.crdownload$/, '')).catch(() => {});
			allBytes -= size;
		}
	}
}

function toMb(bytes: number): number {
	return Math.round(bytes / 2 ** 20);
}
