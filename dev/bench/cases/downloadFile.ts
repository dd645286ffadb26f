import '../../engine/environment';

import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';

import { createNode, type EngineParts } from '../../engine/engine';
import { agentNode, engineParts } from './engineParts';
import { collectGarbage } from './resources';
import { runOne } from './runOne';

/** What a file is downloaded with. `minimal`: what n8n itself needs for it, and nothing else. */
export const DOWNLOAD_WAYS = ['ours', 'minimal'] as const;
export type DownloadWay = (typeof DOWNLOAD_WAYS)[number];

/** A finished job with one file. */
export interface OneFile {
	jobId: string;
	link: string;
	bytes: number;
}

/** What to download. It can be sent as JSON, like the result. */
export interface DownloadOptions {
	way: DownloadWay;
	url: string;
	/** Downloaded before the measurement. */
	warmUp: OneFile;
	file: OneFile;
}

/** What a download cost. */
export interface DownloadResult {
	wallMs: number;
	cpuMs: number;
	/** How much the process has grown at its peak. */
	peakBytes: number;
}

const KIB = 1024;
const MINIMAL_TYPE = 'minimalDownload';

/** Downloads a file into n8n's binary data, which is a folder; returns what that costs. */
export async function downloadFile({
	way,
	url,
	warmUp,
	file,
}: DownloadOptions): Promise<DownloadResult> {
	const folder = await mkdtemp(path.join(tmpdir(), 'browser-agent-bench-'));
	const config = Container.get(BinaryDataConfig);
	config.localStoragePath = folder;
	config.mode = 'filesystem';
	await Container.get(BinaryDataService).init();

	const ours = engineParts(url);
	const parts: EngineParts = {
		...ours,
		nodeTypes: { ...ours.nodeTypes, [MINIMAL_TYPE]: minimalDownload },
	};
	try {
		await runOne(nodeFor(way, warmUp), parts);
		await rm(folder, { recursive: true });
		await mkdir(folder);
		collectGarbage();
		const bytesBefore = process.memoryUsage.rss();
		const cpu = process.cpuUsage();
		const began = performance.now();

		await runOne(nodeFor(way, file), parts);

		const wallMs = performance.now() - began;
		const { user, system } = process.cpuUsage(cpu);
		await checkStored(folder, file.bytes);
		const peakBytes = process.resourceUsage().maxRSS * KIB - bytesBefore;
		return { wallMs, cpuMs: (user + system) / 1000, peakBytes };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function nodeFor(way: DownloadWay, { jobId, link }: OneFile): INode {
	if (way === 'ours') {
		return agentNode({ resource: 'jobFile', operation: 'download', jobId });
	}
	return createNode(MINIMAL_TYPE, MINIMAL_TYPE, { parameters: { url: link } });
}

/** The smallest node that streams a file into n8n's binary data. */
const minimalDownload: INodeType = {
	description: {
		displayName: 'Minimal Download',
		name: MINIMAL_TYPE,
		group: ['transform'],
		version: 1,
		description: 'Downloads a file',
		defaults: { name: 'Minimal Download' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
	},
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const url = String(this.getNodeParameter('url', 0));
		const stream = (await this.helpers.httpRequest({ url, encoding: 'stream' })) as Readable;
		const data = await this.helpers.prepareBinaryData(stream, 'file.bin');
		return [[{ json: {}, binary: { data }, pairedItem: { item: 0 } }]];
	},
};

async function checkStored(folder: string, bytes: number): Promise<void> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const stats = await Promise.all(
		files.map(async ({ parentPath, name }) => await stat(path.join(parentPath, name))),
	);
	const sizes = stats.map(({ size }) => size);
	if (sizes.includes(bytes)) return;
	throw new Error(`No stored file has ${bytes} bytes: ${sizes.join(', ')}`);
}
