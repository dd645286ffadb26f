import { randomBytes } from 'node:crypto';
import {
	chmodSync,
	closeSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { SettingError } from '../SettingError';
import { lockFolder } from './lockFolder';

const OWNER_ONLY = 0o700;
const KEY_BYTES = 32;
const KEY_PATTERN = /^[\x21-\x7e]+$/;

/**
 * The folder of a service, locked while it is open:
 *
 * - `key`: the API key, if the service has made it
 * - `lock-…`: a socket of the service that runs
 * - a file with the credits that have been used
 * - `jobs/<id>/`: the job's record, `history/`, `files/`
 * - `profile/`: the browser profile of the service's user
 * - `workflows/<id>.json`: saved workflows, put there by the user
 * - `tmp/`: what is not kept, emptied at each start
 */
export class DataFolder {
	readonly jobs: string;
	readonly profile: string;
	readonly workflows: string;
	readonly tmp: string;
	readonly credits: string;

	private constructor(
		readonly path: string,
		/** Unlocks the folder. */
		readonly close: () => Promise<void>,
	) {
		this.jobs = this.at('jobs');
		this.profile = this.at('profile');
		this.workflows = this.at('workflows');
		this.tmp = this.at('tmp');
		this.credits = this.at('credits.json');
	}

	/**
	 * Makes the folder, if it doesn't exist, and locks it. Throws a SettingError if that can't be done,
	 * or if another service has it.
	 */
	static async open(folder: string): Promise<DataFolder> {
		checked(folder, () => {
			mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
			chmodSync(folder, OWNER_ONLY);
		});
		const unlock = await lockFolder(folder);
		const opened = new DataFolder(folder, unlock);
		try {
			checked(folder, () => opened.prepare());
		} catch (error) {
			await unlock();
			throw error;
		}
		return opened;
	}

	/** The API key, made at the first start. Throws a SettingError if it can't be read or written. */
	readApiKey(): string {
		const file = this.at('key');
		const key = checked(this.path, () => readIfThere(file)?.trim());
		if (key === undefined) {
			const newKey = `key_${randomBytes(KEY_BYTES).toString('base64url')}`;
			checked(this.path, () => writeWhole(file, `${newKey}\n`));
			return newKey;
		}
		if (!KEY_PATTERN.test(key)) {
			throw new SettingError(
				`The file '${file}' has no API key: remove it, so that a new one is made, or set SERVICE_API_KEY`,
			);
		}
		return key;
	}

	private prepare(): void {
		rmSync(this.tmp, { recursive: true, force: true });
		for (const folder of [this.jobs, this.workflows, this.tmp]) {
			mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
		}
	}

	private at(name: string): string {
		return path.join(this.path, name);
	}
}

/**
 * Writes a file so that there is the old or the new one after a crash, never a part. Throws if it
 * can't be written.
 */
export function writeWhole(file: string, text: string): void {
	const temporary = `${file}.new`;
	const descriptor = openSync(temporary, 'w', 0o600);
	try {
		writeFileSync(descriptor, text);
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
	renameSync(temporary, file);
}

/** Writes to disk which files a folder has. Throws if that can't be done. */
export function syncFolder(folder: string): void {
	const descriptor = openSync(folder, 'r');
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}

/** Returns the text of a file, or nothing if there is none. Throws if it can't be read. */
export function readIfThere(file: string): string | undefined {
	try {
		return readFileSync(file, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

function checked<T>(folder: string, action: () => T): T {
	try {
		return action();
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		throw new SettingError(
			`SERVICE_DATA names a folder that can't be used: '${folder}' (${code ?? message})`,
			{ cause: error },
		);
	}
}
