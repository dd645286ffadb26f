import { startSandbox, type Sandbox } from '../../sandbox/startSandbox';
import { KEY, type Bench, type Check, type Row } from '../Bench';
import {
	DOWNLOAD_WAYS,
	type DownloadResult,
	type DownloadWay,
	type OneFile,
} from '../cases/downloadFile';
import { figure } from '../figures';
import { inChild } from '../inChild';

const MB = 1_000_000;
const NAMES: Record<DownloadWay, string> = {
	ours: 'Job File: Download',
	minimal: 'Minimal stream',
};

export const bigFile: Row = {
	name: 'bigFile',
	title: 'Big file',
	isQuick: true,

	async run(bench) {
		const megabytes = bench.isQuick ? 100 : 500;
		const results = await measure(bench, megabytes);
		// Other work on the machine only adds to them.
		const least = (way: DownloadWay, key: keyof DownloadResult) =>
			Math.min(...results[way].map((result) => result[key]));
		const check = (what: string, key: keyof DownloadResult): Check => ({
			figureOf: `times the minimal stream's ${what}`,
			value: least('ours', key) / least('minimal', key),
			atMost: 1.15,
		});
		const time = check('time', 'wallMs');
		const memory = least('ours', 'peakBytes') / MB;
		return {
			summary: [
				`**A file of ${megabytes} MB** takes ${figure(memory)} MB of memory, and ${figure(time.value)} times a minimal stream's time.`,
			],
			checks: [
				time,
				check('CPU', 'cpuMs'),
				{ figureOf: 'of memory', value: memory, atMost: 100, unit: ' MB', isAbsolute: true },
			],
			table: [
				['', 'time, s', 'CPU, s', 'memory, MB'],
				...DOWNLOAD_WAYS.map((way) => [
					NAMES[way],
					figure(least(way, 'wallMs') / 1000),
					figure(least(way, 'cpuMs') / 1000),
					figure(least(way, 'peakBytes') / MB),
				]),
			],
			notes: `The least of ${bench.runs} processes. The minimal stream is n8n's HTTP helper and its function for binary data alone; the targets are 1.15 times its time and CPU.`,
		};
	},
};

async function measure(bench: Bench, megabytes: number) {
	const results: Record<DownloadWay, DownloadResult[]> = { ours: [], minimal: [] };
	const sandbox = await startSandbox();
	try {
		const { url } = sandbox;
		const warmUp = await fileOf(sandbox, 5 * MB);
		const file = await fileOf(sandbox, megabytes * MB);
		for (let run = 0; run < bench.runs; run++) {
			// In turn, so that what slows the machine down for a while affects both.
			for (const way of DOWNLOAD_WAYS) {
				results[way].push(await inChild(bench, 'downloadFile', { way, url, warmUp, file }));
			}
		}
		return results;
	} finally {
		await sandbox.close();
	}
}

/** Adds a finished job with one file. */
async function fileOf(sandbox: Sandbox, bytes: number): Promise<OneFile> {
	const files = [{ filename: 'file.bin', sizeBytes: bytes, expiresInSeconds: 24 * 3600 }];
	const jobId = await sandbox.admin.startJob({ statuses: ['completed'], files }, KEY);
	const response = await fetch(`${sandbox.url}/v1/get_job_files/${jobId}`, {
		headers: { Authorization: `Bearer ${KEY}` },
	});
	const list = (await response.json()) as { files: Array<{ download_url: string }> };
	const [{ download_url: link }] = list.files as [{ download_url: string }];
	return { jobId, link, bytes };
}
