import { startSandbox, type Sandbox } from '../../sandbox/startSandbox';
import { alternate } from '../alternate';
import { WAYS, type Check, type Row } from '../Bench';
import type { OneFile } from '../cases/downloadFile';
import { median } from '../figures';
import { inChild } from '../inChild';
import { GROWTH, HEAD, MIB, shareCheck, toCells } from './besideMinimal';
import { finishedJob, linkOf } from './sandboxJobs';

const NAMES = { ours: 'Job File: Download', minimal: 'minimal stream' };
const MB = 1_000_000;

export const bigFile: Row = {
	name: 'bigFile',
	title: 'Big file',

	async run(bench) {
		const sandbox = await startSandbox({ limits: 'off' });
		try {
			const { url } = sandbox;
			const warmUp = await fileOf(sandbox, 5 * MB);
			const checks: Check[] = [];
			const table = [['file', ...HEAD]];
			const peaks: number[] = [];

			// The times of single runs differ by up to a third, and the target is a tenth.
			const runs = bench.isQuick ? bench.runs : 2 * bench.runs;
			for (const megabytes of bench.isQuick ? [2, 10] : [100, 1_000]) {
				const file = await fileOf(sandbox, megabytes * MB);
				const results = await alternate(WAYS, runs, async (way) => {
					return await inChild(bench, 'downloadFile', { way, url, warmUp, file });
				});
				const size = `${megabytes.toLocaleString('en')} MB`;
				for (const way of WAYS) table.push([size, ...toCells(NAMES[way], results[way])]);
				checks.push(
					shareCheck('wallMs', `of the minimal stream's wall for ${size}`, results, 1.1),
					shareCheck('cpuMs', `of the minimal stream's CPU for ${size}`, results, 1.1),
				);
				peaks.push(median(results.ours.map(({ peakBytes }) => peakBytes)));
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
				notes: `From the sandbox to n8n's binary data in a folder. Ours also asks for the list of files first, and checks each chunk for errors of the download. ${GROWTH}`,
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
