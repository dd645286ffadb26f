import {
	appendFileSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Step } from '../agent/Step';
import type { DownloadedFile } from '../browser/JobBrowser';
import { JobFailure } from '../JobFailure';
import { type DataFolder, readIfThere, syncFolder, writeWhole } from './DataFolder';
import { type JobRecord, parseRecord, type RecordedFile } from './JobRecord';

const RECORD = 'record.json';
const STEPS = 'history/steps.jsonl';

/** A step as it is kept: its screenshot is a file of its own. */
export type RecordedStep = Omit<Step, 'screenshot'> & { hasScreenshot: boolean };

/** A job's folder found at the start of the service. */
export type FoundJob =
	| { id: string; record: JobRecord }
	/** Its record can't be read. `changedAt` is in ms since 1970. */
	| { id: string; record: undefined; changedAt: number };

/** Records, histories and files of jobs on disk, in a folder for each job. */
export class JobStore {
	constructor(private readonly folder: DataFolder) {}

	/** All jobs on disk, whatever state they are in. Throws if the folder can't be read. */
	findAll(): FoundJob[] {
		return readdirSync(this.folder.jobs, { withFileTypes: true })
			.filter((entry) => entry.isDirectory())
			.map(({ name }) => this.find(name));
	}

	/**
	 * Makes the folder of a job with its record. Throws a JobFailure if it can't: then there is none.
	 */
	create(record: JobRecord): void {
		const temporary = path.join(this.folder.tmp, record.id);
		try {
			written(() => {
				mkdirSync(path.join(temporary, 'history'), { recursive: true, mode: 0o700 });
				mkdirSync(path.join(temporary, 'files'), { mode: 0o700 });
				writeWhole(path.join(temporary, RECORD), toText(record));
				syncFolder(temporary);
				renameSync(temporary, this.at(record.id));
				// Only then a start that was answered is there after a loss of power, too.
				syncFolder(this.folder.jobs);
			});
		} catch (error) {
			// Each try of a client would leave another one on the full disk, or one that seems to have run.
			for (const left of [temporary, this.at(record.id)]) removeIfPossible(left);
			throw error;
		}
	}

	/** Replaces a job's record. Throws a JobFailure if it can't be written. */
	save(record: JobRecord): void {
		written(() => writeWhole(this.at(record.id, RECORD), toText(record)));
	}

	/** Adds a step to a job's history. Throws a JobFailure if it can't be written. */
	saveStep(id: string, { screenshot, ...step }: Step): void {
		const recorded: RecordedStep = { ...step, hasScreenshot: screenshot !== undefined };
		written(() => {
			if (screenshot) writeFileSync(this.screenshotPath(id, step.number), screenshot);
			appendFileSync(this.at(id, STEPS), `${JSON.stringify(recorded)}\n`, { mode: 0o600 });
		});
	}

	/** A job's history, oldest first. A line that a crash has cut off is left out. */
	async steps(id: string): Promise<RecordedStep[]> {
		const text = await readFile(this.at(id, STEPS), 'utf8').catch(() => '');
		return text.split('\n').flatMap((line) => {
			try {
				return [JSON.parse(line) as RecordedStep];
			} catch {
				return [];
			}
		});
	}

	screenshotPath(id: string, step: number): string {
		return this.at(id, 'history', `${step}.jpg`);
	}

	filesFolder(id: string): string {
		return this.at(id, 'files');
	}

	filePath(id: string, { storedName }: RecordedFile): string {
		return this.at(id, 'files', storedName);
	}

	/** Removes all that is known about a job. At once it can no longer be found. Never rejects. */
	async remove(id: string): Promise<void> {
		const removed = path.join(this.folder.tmp, id);
		try {
			renameSync(this.at(id), removed);
			await rm(removed, { recursive: true, force: true });
		} catch {
			// The next start of the service finds it again.
		}
	}

	private find(id: string): FoundJob {
		try {
			const record = parseRecord(readIfThere(this.at(id, RECORD)) ?? '');
			if (record.id === id) return { id, record };
		} catch {
			// Told by the missing record.
		}
		return { id, record: undefined, changedAt: statSync(this.at(id)).mtimeMs };
	}

	private at(...names: string[]): string {
		return path.join(this.folder.jobs, ...names);
	}
}

/** What the record says about the downloads of a browser. */
export function toRecordedFiles(downloads: readonly DownloadedFile[]): RecordedFile[] {
	return downloads.map(({ filename, path: file, size, contentType }) => ({
		filename,
		storedName: path.basename(file),
		sizeBytes: size,
		contentType,
	}));
}

function removeIfPossible(folder: string): void {
	try {
		rmSync(folder, { recursive: true, force: true });
	} catch {
		// On a disk that takes nothing, nothing was written either.
	}
}

function toText(record: JobRecord): string {
	return `${JSON.stringify(record, undefined, '\t')}\n`;
}

function written(write: () => void): void {
	try {
		write();
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		throw new JobFailure(`The service could not write to its data folder (${code ?? message})`, {
			cause: error,
		});
	}
}
