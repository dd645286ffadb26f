import '../../engine/environment';

import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { INode } from 'n8n-workflow';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Way } from '../Bench';
import { engineParts, nodeOf } from './engineParts';
import { NO_LIMITS } from './loadNodes';
import { spentOn, type Spent } from './resources';
import { runOne } from './runOne';

/** A finished job with one file. */
export interface OneFile {
	jobId: string;
	link: string;
	bytes: number;
}

export interface DownloadOptions {
	way: Way;
	url: string;
	/** Downloaded before the measurement. */
	warmUp: OneFile;
	file: OneFile;
}

/** Downloads a file into n8n's binary data, which is a folder. */
export async function downloadFile({ way, url, warmUp, file }: DownloadOptions): Promise<Spent> {
	const folder = await mkdtemp(path.join(tmpdir(), 'browser-agent-bench-'));
	const config = Container.get(BinaryDataConfig);
	config.localStoragePath = folder;
	config.mode = 'filesystem';
	await Container.get(BinaryDataService).init();

	const parts = engineParts(url, { limits: NO_LIMITS });
	const download = async (one: OneFile) => {
		await runOne(nodeFor(way, one), parts, [{}]);
	};
	try {
		await download(warmUp);
		await rm(folder, { recursive: true });
		await mkdir(folder);
		const spent = await spentOn(async () => await download(file));
		await checkStored(folder, file.bytes);
		return spent;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function nodeFor(way: Way, { jobId, link }: OneFile): INode {
	if (way === 'minimal') return nodeOf('minimalDownload', { url: link });
	return nodeOf('browserAgent', { resource: 'jobFile', operation: 'download', jobId });
}

async function checkStored(folder: string, bytes: number): Promise<void> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const sizes = await Promise.all(
		entries
			.filter((entry) => entry.isFile())
			.map(async (entry) => (await stat(path.join(entry.parentPath, entry.name))).size),
	);
	if (!sizes.includes(bytes))
		throw new Error(`No stored file has ${bytes} bytes: ${sizes.join(', ')}`);
}
