import { forkSandbox } from '../../sandbox/forkSandbox';
import type { Sandbox } from '../../sandbox/startSandbox';
import { alternate } from '../alternate';
import type { Check, Row } from '../Bench';
import { DOWNLOAD_WAYS, type DownloadWay, type OneFile } from '../cases/downloadFile';
import { median, medianWithRange } from '../figures';
import { inChild } from '../inChild';
import { finishedJob, linkOf } from './sandboxJobs';

const NAMES: Record<DownloadWay, string> = {
	ours: 'Job File: Download',
	httpRequest: 'HTTP Request, response as file',
	minimal: 'minimal stream',
};
const MB = 1_000_000;
const MIB = 1024 * 1024;

export const bigFile: Row = {
	name: 'bigFile',
	title: 'Big file',

	async run(bench) {
		const sandbox = await forkSandbox({ SANDBOX_LIMITS: 'off', SANDBOX_VALIDATE_REQUESTS: 'off' });
		try {
			const { url } = sandbox;
			const ways = DOWNLOAD_WAYS.filter((way) => way !== 'httpRequest' || bench.n8n !== undefined);
			const warmUp = await fileOf(sandbox, 5 * MB);
			const checks: Check[] = [];
			const table = [['file', 'way', 'wall, s', 'CPU, s', 'growth at its peak, MiB']];
			const peaks: number[] = [];

			// The times of single runs differ by up to a third, and the target is a tenth.
			const runs = bench.isQuick ? bench.runs : 2 * bench.runs;
			for (const megabytes of bench.isQuick ? [2, 10] : [100, 1_000]) {
				const file = await fileOf(sandbox, megabytes * MB);
				const results = await alternate(
					ways,
					runs,
					async (way) => await inChild(bench, 'downloadFile', { way, url, warmUp, file }),
				);
				for (const way of ways) {
					table.push([
						`${megabytes.toLocaleString('en')} MB`,
						NAMES[way],
						medianWithRange(results[way].map(({ wallMs }) => wallMs / 1000)),
						medianWithRange(results[way].map(({ cpuMs }) => cpuMs / 1000)),
						medianWithRange(results[way].map(({ peakBytes }) => peakBytes / MIB)),
					]);
				}
				peaks.push(median(results.ours.map(({ peakBytes }) => peakBytes)));
				for (const [what, key] of [
					['wall', 'wallMs'],
					['CPU', 'cpuMs'],
				] as const) {
					const of = (way: DownloadWay) => median(results[way].map((spent) => spent[key]));
					checks.push({
						figureOf: `of the minimal stream's ${what} for ${megabytes.toLocaleString('en')} MB`,
						value: of('ours') / of('minimal'),
						atMost: 1.1,
					});
				}
			}
			const [small = NaN, large = NaN] = peaks;
			checks.push({
				figureOf: 'more at the peak for the large file than for the small one',
				value: (large - small) / MIB,
				atMost: 32,
				unit: ' MiB',
			});
			return {
				checks,
				table,
				notes:
					"From the sandbox to n8n's binary data in a folder. Ours also asks for the list of files first, and checks each chunk for errors of the download. Growth is the largest size of the process less its size before; each way has fetched a file of 5 MB before it is measured.",
			};
		} finally {
			await sandbox.close();
		}
	},
};

async function fileOf(sandbox: Sandbox, bytes: number): Promise<OneFile> {
	const files = [{ filename: 'file.bin', sizeBytes: bytes, expiresInSeconds: 24 * 3600 }];
	const jobId = await finishedJob(sandbox, { files });
	return { jobId, link: await linkOf(sandbox, jobId), bytes };
}
