import { startSandbox, type Sandbox } from '../../sandbox/startSandbox';
import { KEY, type Check, type Row } from '../Bench';
import {
	DOWNLOAD_WAYS,
	type DownloadResult,
	type DownloadWay,
	type OneFile,
} from '../cases/downloadFile';
import { median, medianWithRange } from '../figures';
import { inChild } from '../inChild';

const MB = 1_000_000;
const NAMES: Record<DownloadWay, string> = {
	ours: 'Job File: Download',
	minimal: 'minimal stream',
};

export const bigFile: Row = {
	name: 'bigFile',
	title: 'Big file',

	async run(bench) {
		const megabytes = bench.isQuick ? 5 : 500;
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
		} finally {
			await sandbox.close();
		}
		const medianOf = (way: DownloadWay, figure: keyof DownloadResult) =>
			median(results[way].map((result) => result[figure]));
		const check = (what: string, figure: keyof DownloadResult): Check => ({
			figureOf: `times the minimal stream's ${what}`,
			value: medianOf('ours', figure) / medianOf('minimal', figure),
			atMost: 1.15,
		});
		const secondsOf = (way: DownloadWay, figure: keyof DownloadResult) =>
			medianWithRange(results[way].map((result) => result[figure] / 1000));
		return {
			checks: [check('time', 'wallMs'), check('CPU', 'cpuMs')],
			table: [
				['way', 'wall, s', 'CPU, s'],
				...DOWNLOAD_WAYS.map((way) => [
					NAMES[way],
					secondsOf(way, 'wallMs'),
					secondsOf(way, 'cpuMs'),
				]),
			],
			notes: `A file of ${megabytes} MB over loopback into n8n's binary data in a folder, each time in a new process, which has downloaded 5 MB before. The minimal stream is n8n's HTTP helper and its function for binary data, and nothing else. Job File: Download also requests the list of files, and watches the size and the silence of what arrives.`,
		};
	},
};

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
