import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Gives each test of a file the path of a new folder, which is removed after it. */
export function useTemporaryFolder(): () => string {
	const made: string[] = [];
	afterEach(() => {
		for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
	});
	return () => {
		// Short, since a socket's path must be.
		const folder = mkdtempSync(path.join(tmpdir(), 'ba-'));
		made.push(folder);
		return folder;
	};
}
