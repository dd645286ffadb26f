import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { DataFolder } from '../../../local-service/jobs/DataFolder';
import { JobStore } from '../../../local-service/jobs/JobStore';
import { aRecord } from '../support/aRecord';
import { useTemporaryFolder } from '../support/temporaryData';

const KILLS = 4;

const temporaryFolder = useTemporaryFolder();

/** Replaces a record without pause, and prints a number as soon as it is on disk. */
const PROGRAM = `
	const { DataFolder } = require('./local-service/jobs/DataFolder');
	const { JobStore } = require('./local-service/jobs/JobStore');
	const { writeSync } = require('node:fs');
	DataFolder.open(process.argv[1]).then((folder) => {
		const store = new JobStore(folder);
		const record = JSON.parse(process.argv[2]);
		store.create(record);
		for (let number = 1; ; number++) {
			store.save({ ...record, creditsUsed: number, output: 'x'.repeat(number % 50_000) });
			writeSync(1, number + '\\n');
		}
	});
`;

async function killWhileWriting(afterMs: number) {
	const folder = temporaryFolder();
	const record = aRecord();
	const child = spawn(
		process.execPath,
		['--import', 'tsx', '-e', PROGRAM, folder, JSON.stringify(record)],
		{ stdio: ['ignore', 'pipe', 'inherit'] },
	);
	let printed = '';
	child.stdout.on('data', (chunk) => (printed += String(chunk)));
	await once(child.stdout, 'data');
	await sleep(afterMs);
	child.kill('SIGKILL');
	await once(child, 'close');

	const data = await DataFolder.open(folder);
	const [found] = new JobStore(data).findAll();
	await data.close();
	const seen = Number(printed.trim().split('\n').at(-1));
	return { credits: found?.record?.creditsUsed ?? NaN, seen };
}

it('A record is whole, and not older than was said, whenever its service is killed', async () => {
	const ends = await Promise.all(
		Array.from({ length: KILLS }, async (_, index) => await killWhileWriting(index * 61)),
	);

	for (const { credits, seen } of ends) {
		expect(seen).toBeGreaterThan(0);
		expect(credits).toBeGreaterThanOrEqual(seen);
		expect(credits).toBeLessThanOrEqual(seen + 1);
	}
});
