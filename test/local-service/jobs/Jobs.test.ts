import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { JobFailure } from '../../../local-service/JobFailure';
import type { DownloadedFile } from '../../../local-service/browser/JobBrowser';
import { waitFor } from '../../support/waitFor';
import { aRecord } from '../support/aRecord';
import { deferred } from '../support/deferred';
import { settle } from '../support/FakeClock';
import { PlayedJobs } from '../support/playedJobs';
import { useTemporaryFolder } from '../support/temporaryData';

const KEEP = { browser: { keepOpen: true } };
const PROFILE = { browser: { useProfile: true } };

describe('the jobs of a service', () => {
	const temporaryFolder = useTemporaryFolder();
	const opened: PlayedJobs[] = [];
	afterEach(async () => {
		for (const played of opened.splice(0)) await played.close();
	});

	async function open(options?: Parameters<typeof PlayedJobs.open>[1], folder = temporaryFolder()) {
		const played = await PlayedJobs.open(folder, options);
		opened.push(played);
		return played;
	}

	/** Ends a service as a kill does, as far as its folder is concerned, and starts the next one. */
	async function restart(before: PlayedJobs) {
		opened.splice(opened.indexOf(before), 1);
		await before.folder.close();
		return await open({ clock: before.clock }, before.folder.path);
	}

	const recordOf = (played: PlayedJobs, id: string) =>
		JSON.parse(readFileSync(path.join(played.folder.jobs, id, 'record.json'), 'utf8')) as {
			status: string;
			error?: string;
		};

	describe('places', () => {
		it('are for so many jobs; one more is refused for now', async () => {
			const played = await open();
			await played.running();
			const second = await played.running();
			expect(() => played.start()).toThrow('SERVICE_MAX_JOBS is reached: 2 jobs at a time');
			expect(() => played.start()).toThrow(expect.objectContaining({ status: 429 }));
			await played.complete(second.id);
			expect(played.start().status).toBe('provisioning');
		});

		it('are taken by jobs whose browser starts, and by those that are taken over', async () => {
			const played = await open();
			(await played.running()).takeOver();
			played.start();
			expect(() => played.start()).toThrow('SERVICE_MAX_JOBS is reached');
		});

		it('are not taken by paused jobs, and a resume is never refused', async () => {
			const played = await open();
			const paused = [await played.running(), await played.running()];
			for (const job of paused) job.pause();
			await played.running();
			await played.running();
			for (const job of paused) expect(job.resume()).toBe(true);
			expect(() => played.start()).toThrow('SERVICE_MAX_JOBS is reached');
		});
	});

	describe('held without a place', () => {
		it('are at most four paused jobs: a fifth fails the oldest', async () => {
			const played = await open({ maxJobs: 9 });
			const jobs = [];
			for (let index = 0; index < 5; index++) jobs.push(await played.running());
			// Not the job that was started first, but the one that was paused first.
			for (const index of [3, 0, 1, 2, 4]) {
				await played.clock.pass(1000);
				jobs[index]?.pause();
			}
			const statuses = jobs.map(({ status }) => status);
			expect(statuses).toEqual(['paused', 'paused', 'paused', 'failed', 'paused']);
			expect(jobs[3]?.record.error).toBe(
				'More than 4 paused jobs and kept browsers were held, this one for longest',
			);
		});

		it('are kept browsers, too', async () => {
			const played = await open({ maxJobs: 9 });
			const keeper = await played.running(KEEP);
			await played.complete(keeper.id);
			for (let index = 0; index < 4; index++) {
				await played.clock.pass(1000);
				(await played.running()).pause();
			}
			expect(played.browsers[0]?.isClosed).toBe(true);
			expect(keeper.record).toMatchObject({ status: 'completed' });
			expect(keeper.record.cdpUrl).toBeUndefined();
		});

		it('are no kept browsers that a job uses', async () => {
			const played = await open({ maxJobs: 9 });
			const keeper = await played.running(KEEP);
			await played.complete(keeper.id);
			const user = await played.running({ browser: { cdpUrl: keeper.record.cdpUrl } });
			for (let index = 0; index < 4; index++) (await played.running()).pause();
			expect(played.browsers[0]?.isClosed).toBe(false);
			expect(user.status).toBe('running');
		});
	});

	describe('kept browsers', () => {
		it('have their address from the start of the job until they are closed', async () => {
			const played = await open();
			const job = await played.running(KEEP);
			expect(job.record.cdpUrl).toBe('ws://127.0.0.1:9001/devtools/browser/1');
			await played.complete(job.id);
			await played.clock.passMinutes(1.9);
			expect(played.browsers[0]?.isClosed).toBe(false);
			expect(job.record.cdpUrl).toBeDefined();
			await played.clock.passMinutes(0.2);
			expect(played.browsers[0]?.isClosed).toBe(true);
			expect(job.record.cdpUrl).toBeUndefined();
		});

		it('download nothing more for a job that has ended', async () => {
			const played = await open();
			const job = await played.running(KEEP);
			await played.complete(job.id);
			expect(played.browsers[0]?.borrowed.map(({ isClosed }) => isClosed)).toEqual([true]);
			expect(played.browsers[0]?.isClosed).toBe(false);
		});

		it.each([
			'ws://127.0.0.1:9001/devtools/browser/1',
			'http://127.0.0.1:9001',
			'http://localhost:9001/json/version',
		])('serve the next job by %s, and are unused again after it', async (cdpUrl) => {
			const played = await open();
			const first = await played.running(KEEP);
			await played.complete(first.id);
			const next = await played.running({ browser: { cdpUrl } });
			expect(played.browsers).toHaveLength(1);
			expect(played.browsers[0]?.borrowed).toHaveLength(2);
			await played.clock.passMinutes(20);
			expect(next.status).toBe('running');
			await played.complete(next.id);
			expect(played.browsers[0]?.borrowed[1]?.isClosed).toBe(true);
			await played.clock.passMinutes(1.9);
			expect(played.browsers[0]?.isClosed).toBe(false);
			await played.clock.passMinutes(0.2);
			expect(played.browsers[0]?.isClosed).toBe(true);
		});

		it('are refused while a job uses them: the one that made them, or a later one', async () => {
			const played = await open({ maxJobs: 9 });
			const first = await played.running(KEEP);
			const browser = { cdpUrl: first.record.cdpUrl };
			const refusal = { status: 429, message: 'Another job uses the browser with this cdp_url' };
			expect(() => played.start({ browser })).toThrow(expect.objectContaining(refusal));
			await played.complete(first.id);
			const second = await played.running({ browser });
			expect(() => played.start({ browser })).toThrow(expect.objectContaining(refusal));
			second.fail(new JobFailure('stopped'));
			await settle();
			expect(played.start({ browser }).status).toBe('provisioning');
		});

		it('are closed with a job that fails', async () => {
			const played = await open();
			const job = await played.running(KEEP);
			job.fail(new JobFailure('stopped'));
			await settle();
			expect(played.browsers[0]?.isClosed).toBe(true);
			expect(job.record.cdpUrl).toBeUndefined();
		});

		it('are closed six hours after their job, however often they are used', async () => {
			const played = await open();
			const first = await played.running(KEEP);
			await played.complete(first.id);
			const browser = { cdpUrl: first.record.cdpUrl };
			for (let hour = 0; hour < 12; hour++) {
				await played.clock.passMinutes(1.5);
				const job = await played.running({ browser });
				await played.clock.passMinutes(28);
				await played.complete(job.id);
			}
			expect(played.browsers[0]?.isClosed).toBe(false);
			const last = await played.running({ browser });
			await played.clock.passMinutes(20);
			expect(last.status).toBe('running');
			await played.complete(last.id);
			await played.clock.pass(1);
			expect(played.browsers[0]?.isClosed).toBe(true);
		});

		it('that die are no longer given to anybody', async () => {
			const played = await open();
			const first = await played.running(KEEP);
			const { cdpUrl } = first.record;
			await played.complete(first.id);
			played.browsers[0]?.dies(new JobFailure('The browser crashed'));
			await settle();
			expect(first.record.cdpUrl).toBeUndefined();
			await played.running({ browser: { cdpUrl } });
			expect(played.requests.at(-1)).toMatchObject({ ownCdpUrl: cdpUrl });
		});
	});

	describe('the profile', () => {
		it('is for one job at a time', async () => {
			const played = await open();
			const first = await played.running(PROFILE);
			const refusal = {
				status: 429,
				message: expect.stringContaining('uses the profile') as string,
			};
			expect(() => played.start(PROFILE)).toThrow(expect.objectContaining(refusal));
			expect((await played.running()).status).toBe('running');
			first.pause();
			expect(() => played.start(PROFILE)).toThrow(expect.objectContaining(refusal));
		});

		it('is opened again only when the browser before is closed', async () => {
			const played = await open();
			const first = await played.running(PROFILE);
			const closing = deferred();
			const [browser] = played.browsers;
			if (browser) browser.close = async () => await closing.promise;
			await played.complete(first.id);
			const second = await played.running(PROFILE);
			expect(second.status).toBe('provisioning');
			expect(played.browsers).toHaveLength(1);
			closing.resolve();
			await settle();
			expect(second.status).toBe('running');
			expect(played.requests[1]).toMatchObject({ profileFolder: played.folder.profile });
		});

		it('is busy as long as a browser with it is kept open', async () => {
			const played = await open();
			const first = await played.running({ browser: { useProfile: true, keepOpen: true } });
			await played.complete(first.id);
			expect(() => played.start(PROFILE)).toThrow('uses the profile');
			await played.clock.passMinutes(2.1);
			expect((await played.running(PROFILE)).status).toBe('running');
		});

		it('is free after a browser that did not start', async () => {
			const played = await open();
			const held = deferred();
			played.opening = held.promise;
			const first = await played.running(PROFILE);
			held.reject(new JobFailure('Chromium did not start'));
			await settle();
			expect(first.status).toBe('failed');
			played.opening = Promise.resolve();
			expect((await played.running(PROFILE)).status).toBe('running');
		});
	});

	describe('on disk', () => {
		it('are there before their start is answered', async () => {
			const played = await open();
			const { id } = played.start();
			expect(recordOf(played, id)).toMatchObject({ id, status: 'provisioning' });
		});

		it('are not started when that can not be written', async () => {
			const played = await open();
			const moved = `${played.folder.tmp}.away`;
			renameSync(played.folder.tmp, moved);
			writeFileSync(played.folder.tmp, 'a file in place of the folder');
			expect(() => played.start()).toThrow(/^The service could not write to its data folder/);
			rmSync(played.folder.tmp);
			renameSync(moved, played.folder.tmp);
			expect(readdirSync(played.folder.jobs)).toEqual([]);
			expect(played.browsers).toEqual([]);
		});

		it('have failed after a kill, unless they had ended', async () => {
			const before = await open({ maxJobs: 9 });
			const ended = await before.running();
			await before.complete(ended.id);
			const paused = await before.running();
			paused.pause();
			const running = await before.running();

			const { jobs, lines } = await restart(before);
			expect(jobs.find(ended.id)?.record).toEqual(ended.record);
			for (const { id } of [paused, running]) {
				expect(lines.join('\n')).toMatch(
					new RegExp(`${id} failed after .*: The service was stopped`),
				);
				expect(jobs.find(id)?.record).toMatchObject({
					status: 'failed',
					error: 'The service was stopped while the job was running',
				});
			}
		});

		it('keep history and files over a kill', async () => {
			const before = await open();
			const job = await before.running();
			const stored = path.join(before.store.filesFolder(job.id), 'f1');
			writeFileSync(stored, 'a,b');
			const file: DownloadedFile = {
				filename: 'a.csv',
				path: stored,
				size: 3,
				contentType: 'text/csv',
			};
			before.browsers[0]?.downloads.push(file);
			const step = { number: 1, tool: 'click', address: 'http://a', ms: 5, notices: [] };
			before.tasks.get(job.id)?.record({ ...step, screenshot: Buffer.from('jpeg') } as never);

			const { jobs, store } = await restart(before);
			const record = jobs.find(job.id)?.record;
			expect(record?.files).toMatchObject([{ filename: 'a.csv', sizeBytes: 3 }]);
			expect(store.filePath(job.id, record?.files[0] as never)).toBe(stored);
			expect(await store.steps(job.id)).toEqual([{ ...step, hasScreenshot: true }]);
			expect(readFileSync(store.screenshotPath(job.id, 1), 'utf8')).toBe('jpeg');
		});

		it('have a history without the line that a crash has cut off', async () => {
			const played = await open();
			const job = await played.running();
			played.tasks
				.get(job.id)
				?.record({ number: 1, tool: 'click', address: '', notices: [] } as never);
			const file = path.join(played.folder.jobs, job.id, 'history', 'steps.jsonl');
			writeFileSync(file, `${readFileSync(file, 'utf8')}{"number":2,"to`);
			expect(await played.store.steps(job.id)).toHaveLength(1);
		});

		it.each([
			'',
			'{"id":',
			'[]',
			JSON.stringify({ id: 'job_1' }),
			JSON.stringify(aRecord({ id: 'x' })),
		])('that have the record %j count as failed, and their folder is kept', async (text) => {
			const folder = temporaryFolder();
			const damaged = path.join(folder, 'jobs', 'job_1');
			mkdirSync(damaged, { recursive: true });
			writeFileSync(path.join(damaged, 'record.json'), text);
			writeFileSync(path.join(damaged, 'kept'), '');
			utimesSync(damaged, new Date('2030-01-01'), new Date('2030-01-01'));
			const played = await open({}, folder);
			expect(played.jobs.find('job_1')?.record).toMatchObject({ status: 'failed' });
			expect(played.jobs.find('job_1')?.record.error).toContain('damaged');
			expect(existsSync(path.join(damaged, 'kept'))).toBe(true);
			expect(played.lines.join()).toContain('job_1 has a damaged record');
			expect((await played.running()).status).toBe('running');
		});

		it('leave no folder of an ended browser behind for more than an hour', async () => {
			const { folder, clock } = await open();
			const left = path.join(folder.tmp, 'browser-that-was-killed');
			mkdirSync(left);
			await waitFor(async () => {
				await clock.passMinutes(61);
				expect(existsSync(left)).toBe(false);
			});
		});

		it('are removed when they are older than seven days', async () => {
			const before = await open();
			const job = await before.running();
			await before.complete(job.id);
			await before.clock.passMinutes(7 * 24 * 60);
			expect(before.jobs.find(job.id)).toBeDefined();
			await waitFor(async () => {
				await before.clock.passMinutes(61);
				expect(before.jobs.find(job.id)).toBeUndefined();
				expect(existsSync(path.join(before.folder.jobs, job.id))).toBe(false);
			});
		});

		it('make room at the start of a service with a lower limit', async () => {
			const before = await open();
			const job = await before.running();
			writeFileSync(path.join(before.store.filesFolder(job.id), 'f'), 'x'.repeat(8_000));
			await before.complete(job.id);
			opened.splice(opened.indexOf(before), 1);
			await before.folder.close();
			await before.clock.passMinutes(60);
			const options = { clock: before.clock, maxBytes: 5_000 };
			const { jobs } = await open(options, before.folder.path);
			await waitFor(() => expect(jobs.find(job.id)).toBeUndefined());
		});

		it('make room for new ones, the oldest first, and else a start is refused', async () => {
			const played = await open({ maxBytes: 20_000 });
			const ids: string[] = [];
			for (let index = 0; index < 3; index++) {
				const job = await played.running();
				ids.push(job.id);
				writeFileSync(path.join(played.store.filesFolder(job.id), 'f'), 'x'.repeat(8_000));
				await played.complete(job.id);
				await played.clock.pass(1000);
			}
			await waitFor(async () => {
				await played.clock.passMinutes(61);
				expect(ids.map((id) => played.jobs.find(id) !== undefined)).toEqual([false, true, true]);
			});
			writeFileSync(path.join(played.folder.workflows, 'big'), 'x'.repeat(30_000));
			await waitFor(async () => {
				await played.clock.passMinutes(61);
				expect(ids.map((id) => played.jobs.find(id))).toEqual([undefined, undefined, undefined]);
			});
			expect(() => played.start()).toThrow('SERVICE_MAX_GB is reached');
			expect(() => played.start()).toThrow(expect.objectContaining({ status: 429 }));
		});
	});

	it('fail with their sentence when the service is stopped, and leave no browser', async () => {
		const played = await open({ maxJobs: 9 });
		const jobs = [await played.running(), await played.running(KEEP), await played.running(KEEP)];
		jobs[0]?.pause();
		await played.complete(jobs[2]?.id ?? '');
		const starting = played.start();
		await played.jobs.stop();
		expect(played.browsers.map(({ isClosed }) => isClosed)).toEqual([true, true, true, true]);
		expect(starting.status).toBe('failed');
		expect(recordOf(played, jobs[0]?.id ?? '')).toMatchObject({
			status: 'failed',
			error: 'The service was stopped while the job was running',
		});
		expect(() => played.start()).toThrow('The service is being stopped');
	});

	it('have a line in the log for start, change, step and end, without what others have written', async () => {
		const played = await open();
		const job = await played.running({ requestedModel: 'o3' });
		played.tasks.get(job.id)?.record({
			number: 1,
			tool: 'type',
			action: "Typed 'typed-text' into 'page-text'",
			address: 'https://shop.example/cart?token=secret-token',
			note: 'page-text',
			error: 'page-text',
			notices: ['page-text'],
			ms: 12,
			inputTokens: 3000,
			model: 'local/model',
			at: '',
		});
		job.pause();
		job.fail(new JobFailure('The agent gave up: page-text'));
		const log = played.lines.map((line) => line.replace(/^\S+ job_\w+ /, ''));
		expect(log).toEqual([
			"started: agent, model local/model (for 'o3')",
			'running',
			'step 1: type shop.example, 12 ms, 3000+? tokens, failed',
			'paused',
			'failed after 0 steps and 0 s: The agent gave up',
		]);
	});
});
