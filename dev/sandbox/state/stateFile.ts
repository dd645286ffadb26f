import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

import type { StoredState } from './SandboxState';

const OWNER_ONLY = 0o600;

/**
 * Returns what the file keeps, or `undefined` if there is no such file. Throws if it can't be read.
 */
export function loadState(file: string): StoredState | undefined {
	if (!existsSync(file)) return undefined;
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as StoredState;
	} catch (error) {
		const { message } = error as Error;
		throw new Error(`${file} can't be read. Delete it to start with a new sandbox. (${message})`);
	}
}

/** Replaces the file, which is complete at any time. */
export function saveState(file: string, state: StoredState): void {
	const partial = `${file}.partial`;
	writeFileSync(partial, JSON.stringify(state), { mode: OWNER_ONLY });
	renameSync(partial, file);
}
