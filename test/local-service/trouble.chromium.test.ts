import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Job } from '../../local-service/jobs/Job';
import type { Service } from '../../local-service/startService';
import { waitFor } from '../support/waitFor';
import { FakeClock } from './support/FakeClock';
import { processesWith } from './support/processesWith';
import { serviceSettings } from './support/serviceSettings';
import { type ModelAction, type Shown, useModelServer } from './support/useModelServer';
import { callApi, useServices } from './support/useService';
import { useShop } from './support/useShop';

const DISK_MB = 60;
/** On a busy machine. */
const LONG_MS = 30_000;

const HUNGRY = `<h1>Memory</h1><script>
	const all = [];
	setInterval(() => all.push(new Uint8Array(20 * 2 ** 20).fill(1)), 20);
</script>`;

const model = useModelServer();
const shop = useShop();
const services = useServices();

/** Jobs that think until they may go on. */
const mayGoOn = new Set<string>();
beforeEach(() => {
	mayGoOn.clear();
	model.does(async (shown) => {
		await waitFor(() => expect(mayGoOn).toContain(directiveOf(shown)));
		return { call: 'done', input: { output: directiveOf(shown) } } satisfies ModelAction;
	});
});

function directiveOf({ messages }: Shown): string {
	return String(messages.find(({ role }) => role === 'user')?.content);
}

async function start(changes: object = {}, clock = new FakeClock()) {
	const settings = { allowedHosts: [shop.host], ...model.settings(), ...changes };
	return await services.start(settings, { clock });
}

/** Starts a job, and waits until its model thinks. */
async function startJob(service: Service, directive: string, config: object = {}): Promise<Job> {
	const asked = model.arrivals.length;
	const { json } = await callApi(service, '/v1/run_browser_agent', {
		body: { directive, initial_url: shop.url, browser_config: config },
	});
	await waitFor(() => expect(model.arrivals.length).toBeGreaterThan(asked));
	return service.jobs.find(String(json.job_id))!;
}

const mainProcesses = (service: Service) =>
	processesWith(service.dataFolder).filter((id) => !isChild(id));

/** Whether this is a process that Chromium has started itself: a renderer, a zygote. */
function isChild(id: number): boolean {
	return processesWith('--type=').includes(id);
}

describe('A Chromium', () => {
	it('that dies fails its job, and the other one goes on', async () => {
		const service = await start();
		const job = await startJob(service, 'first');
		const [browser] = mainProcesses(service);
		const other = await startJob(service, 'other');
		process.kill(browser!, 'SIGKILL');

		await waitFor(() => expect(job.hasEnded).toBe(true));
		expect(job.record).toMatchObject({
			status: 'failed',
			error: "The job's browser has ended by itself",
		});
		mayGoOn.add('other');
		await waitFor(() => expect(other.record).toMatchObject({ output: 'other' }));
	});

	it('that hangs is ended with its job, and the other one goes on', async () => {
		const clock = new FakeClock();
		const service = await start({}, clock);
		const job = await startJob(service, 'first', { max_duration_minutes: 10 });
		const [browser] = mainProcesses(service);
		const other = await startJob(service, 'other', { max_duration_minutes: 60 });
		process.kill(browser!, 'SIGSTOP');
		await clock.passMinutes(10);

		expect(job.record.error).toBe('The job reached its maximum duration of 10 minutes');
		await job.released;
		expect(mainProcesses(service)).not.toContain(browser);
		mayGoOn.add('other');
		await waitFor(() => expect(other.record).toMatchObject({ output: 'other' }));
	});

	it('whose page eats memory is ended with its job, and the other one goes on', async () => {
		const service = await start({ maxMemoryMb: 800 });
		const other = await startJob(service, 'other');
		shop.page('/memory', HUNGRY);
		const { json } = await callApi(service, '/v1/run_browser_agent', {
			body: { directive: 'hungry', initial_url: `${shop.url}/memory` },
		});
		const job = service.jobs.find(String(json.job_id))!;

		await waitFor(() => expect(job.hasEnded).toBe(true), LONG_MS);
		expect(job.record).toMatchObject({
			status: 'failed',
			error: 'The browser needed more than 800 MB of memory and was ended',
		});
		mayGoOn.add('other');
		await waitFor(() => expect(other.record).toMatchObject({ output: 'other' }));
	});
});

/** A disk of its own needs the rights of root, which not every machine gives. */
function makeDisk(): string | undefined {
	const disk = mkdtempSync(path.join(tmpdir(), 'disk-'));
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk], {
			stdio: 'ignore',
		});
		return disk;
	} catch {
		return undefined;
	}
}

const disk = makeDisk();
const onDisk = disk === undefined ? it.skip : it;

describe('A disk', () => {
	const filler = path.join(disk ?? '', 'filler');
	afterEach(() => rmSync(filler, { force: true }));
	afterAll(() => {
		if (disk !== undefined) execFileSync('umount', ['--lazy', disk]);
	});

	async function startOnDisk(name: string) {
		const dataFolder = path.join(disk!, name);
		mkdirSync(dataFolder);
		return await start({
			...serviceSettings(),
			port: 0,
			allowedHosts: [shop.host],
			...model.settings(),
			dataFolder,
		});
	}

	/** Leaves no byte. */
	function fill() {
		for (const size of [2 ** 20, 4096, 1]) {
			try {
				for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
			} catch {
				// It fits no longer.
			}
		}
	}

	onDisk(
		'that is full fails a running job with a sentence, refuses a start, and loses nothing',
		async () => {
			const service = await startOnDisk('one');
			const before = await startJob(service, 'before');
			mayGoOn.add('before');
			await waitFor(() => expect(before.status).toBe('completed'));
			const running = await startJob(service, 'running');
			fill();
			mayGoOn.add('running');

			await waitFor(() => expect(running.status).toBe('failed'));
			expect(running.record.error).toMatch(/^The service could not write to its data folder/);
			const body = { directive: 'refused' };
			const { status, json } = await callApi(service, '/v1/run_browser_agent', { body });
			expect([status, json.detail]).toEqual([
				429,
				'The service could not write to its data folder (ENOSPC)',
			]);

			rmSync(filler);
			await services.close(service);
			const next = await start({
				...serviceSettings(),
				port: 0,
				allowedHosts: [shop.host],
				...model.settings(),
				dataFolder: service.dataFolder,
			});
			expect(next.jobs.find(before.id)?.record).toEqual(before.record);
			expect(next.jobs.find(running.id)?.status).toBe('failed');
			const after = await startJob(next, 'after');
			mayGoOn.add('after');
			await waitFor(() => expect(after.status).toBe('completed'));
		},
	);

	onDisk('that becomes read-only does the same', async () => {
		const service = await startOnDisk('two');
		const running = await startJob(service, 'running');
		// Chromium writes to the rest of the folder.
		const records = path.join(service.dataFolder, 'jobs');
		execFileSync('mount', ['--bind', records, records]);
		execFileSync('mount', ['-o', 'remount,bind,ro', records]);
		try {
			mayGoOn.add('running');
			await waitFor(() => expect(running.status).toBe('failed'));
			expect(running.record.error).toBe('The service could not write to its data folder (EROFS)');
			const body = { directive: 'refused' };
			const { status, json } = await callApi(service, '/v1/run_browser_agent', { body });
			expect(status).toBe(429);
			expect(json.detail).toMatch(/^The service could not write to its data folder/);
		} finally {
			execFileSync('umount', [records]);
		}

		const after = await startJob(service, 'after');
		mayGoOn.add('after');
		await waitFor(() => expect(after.status).toBe('completed'));
	});
});
