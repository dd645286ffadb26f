import '../../dev/engine/quietEngine';

import '../../dev/engine/environment';
import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Where n8n keeps files: in the execution's own data, or in a folder. */
type BinaryMode = 'memory' | 'filesystem';

/** All ways in which n8n keeps files. */
export const BINARY_MODES: BinaryMode[] = ['memory', 'filesystem'];

/** Makes n8n keep files like this for the tests of a file, or of a `describe`. */
export function useBinaryData(mode: BinaryMode) {
	const folder = mkdtempSync(path.join(tmpdir(), 'browser-agent-files-'));

	beforeAll(async () => await keepFiles(mode, folder));
	afterEach(() => {
		for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true });
	});
	afterAll(async () => {
		// n8n-core stays for the next test file.
		await keepFiles('memory', folder);
		rmSync(folder, { recursive: true, force: true });
	});

	const read = async (binary: IBinaryData | undefined) => {
		if (binary === undefined) throw new Error('There is no such file');
		return await Container.get(BinaryDataService).getAsBuffer(binary);
	};
	return {
		read,
		/** The SHA-256 of each file of an item, by its property. */
		async hashes(item: INodeExecutionData | undefined) {
			const found: Record<string, string> = {};
			for (const [property, binary] of Object.entries(item?.binary ?? {})) {
				found[property] = hashOf([await read(binary)]);
			}
			return found;
		},
		/** All files in the folder, partial ones included; in memory there are none. */
		inFolder() {
			const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
			return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
		},
	};
}

async function keepFiles(mode: BinaryMode, folder: string): Promise<void> {
	const config = Container.get(BinaryDataConfig);
	config.localStoragePath = folder;
	config.mode = mode === 'filesystem' ? 'filesystem' : 'default';
	await Container.get(BinaryDataService).init();
}

/** Returns the SHA-256 of these chunks together, in hexadecimal. */
export function hashOf(chunks: Iterable<Buffer | string>): string {
	const hash = createHash('sha256');
	for (const chunk of chunks) hash.update(chunk);
	return hash.digest('hex');
}
