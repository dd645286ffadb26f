import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';

import { close, listen } from '../../../api/httpServer';
import type { Step } from '../../../local-service/agent/Step';
import { JobFailure } from '../../../local-service/JobFailure';
import type { Job } from '../../../local-service/jobs/Job';
import { createPages } from '../../../local-service/pages/createPages';
import { http } from '../../api/client';
import { waitFor } from '../../support/waitFor';
import { deferred } from '../support/deferred';
import { settle } from '../support/FakeClock';
import { PlayedJobs } from '../support/playedJobs';
import { useTemporaryFolder } from '../support/temporaryData';

const API_KEY = 'key-of-the-sérvice:1';
const MARKUP = `<script>alert("1")</script><img src=x onerror='alert(2)'>`;
const ESCAPED =
	'&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;';

function aStep(more: Partial<Step> = {}): Step {
	return {
		number: 1,
		at: '2030-01-01T00:00:07.000Z',
		action: 'Clicked button "Search"',
		tool: 'click',
		address: 'https://shop.example/list',
		notices: [],
		ms: 1500,
		model: 'local/model',
		...more,
	};
}

describe('The pages of the local service', () => {
	const temporaryFolder = useTemporaryFolder();
	let played: PlayedJobs;
	let server: Server;
	let origin: string;

	beforeEach(async () => {
		played = await PlayedJobs.open(temporaryFolder());
		const app = express();
		const { jobs, store } = played;
		app.use(createPages({ apiKey: API_KEY, jobs, store, credits: { left: 70 } }));
		server = await listen(
			app,
			{ name: 'The service', hostRule: 'its own', hosts: (port) => [`127.0.0.1:${port}`] },
			{ host: '127.0.0.1', port: 0 },
		);
		origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	afterEach(async () => {
		await played.close();
		await close(server);
	});

	const liveOf = ({ id, record }: Job) => `${origin}/live/${id}/${record.liveSecret}`;
	const historyOf = ({ id, record }: Job) => `${origin}/history/${id}/${record.historySecret}`;
	const taskOf = ({ id }: Job) => {
		const task = played.tasks.get(id);
		if (!task) throw new Error('The job has no agent yet');
		return task;
	};
	const post = async (url: string, body: unknown = {}, headers: Record<string, string> = {}) =>
		await http.post(url, body, { headers: { Origin: origin, ...headers } });

	describe('are kept from others:', () => {
		it.each([
			['live view', liveOf],
			['history', historyOf],
		])('the %s needs its secret', async (_name, addressOf) => {
			const job = await played.running();
			const address = addressOf(job);

			const statuses = await Promise.all(
				[
					address,
					address.replace(/.$/, ''),
					`${address}x`,
					address.replace(/[^/]+$/, job.id),
					address.replace(job.id, 'job_none'),
				].map(async (url) => (await http.get(url)).status),
			);

			expect(statuses).toEqual([200, 404, 404, 404, 404]);
		});

		it('each secret opens its own page only', async () => {
			const job = await played.running();
			const { liveSecret, historySecret } = job.record;

			const crossed = [
				`${origin}/live/${job.id}/${historySecret}`,
				`${origin}/live/${job.id}/${historySecret}/state`,
				`${origin}/live/${job.id}/${historySecret}/picture`,
				`${origin}/history/${job.id}/${liveSecret}`,
				`${origin}/history/${job.id}/${liveSecret}/steps/1`,
			];

			for (const url of crossed) expect([url, (await http.get(url)).status]).toEqual([url, 404]);
			const takeOver = await post(`${origin}/live/${job.id}/${historySecret}/take-over`);
			expect([takeOver.status, job.status]).toEqual([404, 'running']);
		});

		it('the history does not name the secret of the live view', async () => {
			const job = await played.running();

			const { data } = await http.get(historyOf(job));

			expect(data).not.toContain(job.record.liveSecret);
		});

		it('the live view ends with the job, the history does not', async () => {
			const job = await played.running();
			await played.complete(job.id);

			const live = [liveOf(job), `${liveOf(job)}/state`, `${liveOf(job)}/picture`];
			const statuses = await Promise.all(live.map(async (url) => (await http.get(url)).status));

			expect(statuses).toEqual([410, 410, 410]);
			expect((await post(`${liveOf(job)}/input`, { events: [] })).status).toBe(410);
			expect((await http.get(historyOf(job))).status).toBe(200);
		});

		it.each([
			['a foreign Origin', { Origin: 'https://evil.example' }],
			['an Origin of a sandboxed page', { Origin: 'null' }],
			['a foreign Host', { Host: 'rebound.example' }],
		])('a POST with %s is refused', async (_name, headers) => {
			const job = await played.running();

			const { status } = await post(`${liveOf(job)}/take-over`, {}, headers);

			expect([status, job.status]).toEqual([403, 'running']);
		});

		it.each([['text/plain'], ['application/x-www-form-urlencoded']])(
			'a POST of %s, which a form could send, does nothing',
			async (type) => {
				const job = await played.running();

				const statuses = [
					(await post(`${liveOf(job)}/pause`, '{}', { 'Content-Type': type })).status,
					(await post(`${liveOf(job)}/input`, '{"events": []}', { 'Content-Type': type })).status,
				];

				expect([statuses, job.status]).toEqual([[415, 400], 'running']);
			},
		);

		it.each([
			['live view', (job: Job) => liveOf(job), 200],
			['state', (job: Job) => `${liveOf(job)}/state`, 200],
			['history', (job: Job) => historyOf(job), 200],
			['script', () => `${origin}/pages/live.js`, 200],
			['unknown page', () => `${origin}/live/job_none/none`, 404],
			['unknown script', () => `${origin}/pages/..%2fcreatePages.ts`, 404],
		])('the %s is not stored, framed or told to others', async (_name, addressOf, expected) => {
			const { status, headers } = await http.get(addressOf(await played.running()));

			expect(status).toBe(expected);
			expect(headers).toMatchObject({
				'cache-control': 'no-store',
				'referrer-policy': 'no-referrer',
				'x-content-type-options': 'nosniff',
				'x-frame-options': 'DENY',
			});
			const policy = String(headers['content-security-policy']);
			expect(policy).toContain("default-src 'none'");
			expect(policy).toContain("frame-ancestors 'none'");
			expect(policy).not.toContain('unsafe-inline');
		});
	});

	describe('list of jobs', () => {
		const listed = async (password?: string) =>
			await http.get<string>(
				`${origin}/`,
				password === undefined ? {} : { headers: { Authorization: basic(password) } },
			);
		const basic = (password: string) =>
			`Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`;

		it.each([
			['no password', undefined],
			['an empty password', ''],
			['another password', 'key'],
			['the beginning of the key', API_KEY.slice(0, -1)],
		])('asks for the API key with %s, and shows nothing', async (_name, password) => {
			const job = await played.running();
			const { status, headers, data } = await listed(password);

			expect(status).toBe(401);
			expect(headers['www-authenticate']).toMatch(/^Basic realm=/);
			expect(data).not.toContain(job.id);
		});

		it('does not take the key as a bearer token', async () => {
			const headers = { Authorization: `Bearer ${API_KEY}` };

			expect((await http.get(`${origin}/`, { headers })).status).toBe(401);
		});

		it('shows the newest first, with links that lead to the pages', async () => {
			const ended = await played.running({ directive: 'Find a lamp' });
			await played.complete(ended.id);
			const running = await played.running({ directive: `${MARKUP}${'x'.repeat(300)}` });
			const { data, headers } = await listed(API_KEY);

			expect(data.indexOf(running.id)).toBeLessThan(data.indexOf(ended.id));
			expect(data).toContain('Credits left: 70');
			expect(data).toContain('Find a lamp');
			expect(data).toContain(ESCAPED);
			expect(data).not.toContain('x'.repeat(201));
			expect(headers['cache-control']).toBe('no-store');
			const links = [...data.matchAll(/href="((?:live|history)[^"]+)"/g)].map(([, link]) => link);
			expect(links.map((link) => `${origin}/${link}`)).toEqual([
				liveOf(running),
				historyOf(running),
				historyOf(ended),
			]);
		});

		it('shows the newest 200, and all of them when it is asked to', async () => {
			const jobs = [];
			for (let count = 0; count < 201; count++) {
				const job = await played.running();
				await played.complete(job.id);
				jobs.push(job);
			}
			const headers = { Authorization: basic(API_KEY) };
			const newest = await http.get<string>(`${origin}/`, { headers });
			const all = await http.get<string>(`${origin}/?all`, { headers });

			expect(newest.data).not.toContain(jobs[0]?.id);
			expect(newest.data).toContain('Show 1 older jobs, too');
			expect(all.data).toContain(jobs[0]?.id);
			expect(newest.data).toContain('http-equiv="refresh"');
			expect(all.data).not.toContain('http-equiv="refresh"');
		});

		it('says why a job has failed', async () => {
			const job = await played.running();
			played.ends.get(job.id)?.reject(new JobFailure('The page was empty'));
			await settle();

			expect((await listed(API_KEY)).data).toContain('The page was empty');
		});
	});

	describe('live view', () => {
		const stateOf = async (job: Job) => (await http.get(`${liveOf(job)}/state`)).data;

		it('shows the status in words, the last steps, and what can be done', async () => {
			const job = await played.running();
			taskOf(job).record(
				aStep({ error: 'It is hidden', notices: ['10.0.0.1 is private'], note: 'Next: list' }),
			);

			expect(await stateOf(job)).toEqual({
				status: 'running',
				words: 'The agent is working.',
				actions: { 'take-over': true, 'hand-back': false, pause: true, resume: false },
				steps: [
					{
						number: 1,
						action: 'Clicked button "Search"',
						address: 'https://shop.example/list',
						note: 'Next: list',
						problems: ['It is hidden', '10.0.0.1 is private'],
					},
				],
			});
		});

		it('says what a person does to the job: pause, resume, take over, hand back', async () => {
			const job = await played.running();

			const statuses: unknown[] = [];
			for (const action of ['pause', 'resume', 'take-over', 'hand-back', 'pause', 'take-over']) {
				const { status, data } = await post(`${liveOf(job)}/${action}`);
				statuses.push([action, status, data.status]);
			}

			expect(statuses).toEqual([
				['pause', 200, 'paused'],
				['resume', 200, 'running'],
				['take-over', 200, 'user_taken_over'],
				['hand-back', 200, 'running'],
				['pause', 200, 'paused'],
				['take-over', 200, 'user_taken_over'],
			]);
		});

		it.each([
			['hand-back', 'running'],
			['resume', 'running'],
			['pause', 'paused'],
			['resume', 'user_taken_over'],
		])('refuses %s of a job that is %s', async (action, status) => {
			const job = await played.running();
			if (status === 'paused') job.pause();
			if (status === 'user_taken_over') job.takeOver();

			const response = await post(`${liveOf(job)}/${action}`);

			expect([response.status, response.data.status]).toEqual([409, status]);
			expect(job.status).toBe(status);
		});

		it('offers no take-over before the browser is there', async () => {
			const opening = deferred();
			played.opening = opening.promise;
			const job = played.start();

			const { actions, words } = await stateOf(job);

			expect([actions['take-over'], words]).toEqual([false, 'The browser is starting.']);
			expect((await http.get(`${liveOf(job)}/picture`)).status).toBe(204);
			opening.resolve();
		});

		it("has the browser's picture, and takes it once for all who watch", async () => {
			const job = await played.running();
			const [browser] = played.browsers;
			if (!browser) throw new Error('There is no browser');
			let shots = 0;
			const shot = deferred<Buffer>();
			const found = jest.spyOn(played.jobs, 'find');
			browser.screenshot = async () => {
				shots++;
				return await shot.promise;
			};

			const watching = [1, 2, 3].map(async () => await http.get(`${liveOf(job)}/picture`));
			await waitFor(() => expect(found).toHaveBeenCalledTimes(3));
			shot.resolve(Buffer.from('jpeg'));
			const responses = await Promise.all(watching);

			expect(responses.map(({ data }) => data)).toEqual(['jpeg', 'jpeg', 'jpeg']);
			expect(responses[0]?.headers['content-type']).toBe('image/jpeg');
			expect(shots).toBe(1);
		});

		const EVENTS = [
			{ type: 'move', x: 1, y: 2 },
			{ type: 'down', x: 1, y: 2, button: 'left' },
			{ type: 'up', x: 1, y: 2, button: 'left' },
			{ type: 'wheel', x: 1, y: 2, deltaX: 0, deltaY: -120 },
			{ type: 'key', key: 'Control+a' },
			{ type: 'text', text: 'Zoë' },
		];

		it('passes on what a person enters who has taken over, in its order', async () => {
			const job = await played.running();
			job.takeOver();

			const { status } = await post(`${liveOf(job)}/input`, { events: EVENTS });

			expect(status).toBe(204);
			expect(played.browsers[0]?.entered).toEqual(EVENTS);
		});

		it.each([['running'], ['paused'], ['handed back']])(
			'passes on nothing while the job is %s',
			async (status) => {
				const job = await played.running();
				if (status === 'paused') job.pause();
				if (status === 'handed back') {
					job.takeOver();
					job.handBack();
				}

				const response = await post(`${liveOf(job)}/input`, { events: EVENTS });

				expect(response.status).toBe(409);
				expect(played.browsers[0]?.entered).toEqual([]);
			},
		);

		it.each<[string, unknown]>([
			['no list', {}],
			['an unknown kind', { events: [{ type: 'evaluate', text: '1' }] }],
			['a place outside', { events: [{ type: 'move', x: -1, y: 0 }] }],
			['a place that is no number', { events: [{ type: 'move', x: null, y: 0 }] }],
			['an unknown button', { events: [{ type: 'down', x: 0, y: 0, button: 'fourth' }] }],
			['more than it needs', { events: [{ type: 'key', key: 'a', delay: 1e9 }] }],
			['a text without end', { events: [{ type: 'text', text: 'x'.repeat(100_001) }] }],
			['events without end', { events: Array.from({ length: 201 }, () => EVENTS[0]) }],
			['no JSON', '{'],
		])('refuses input that is not meant: %s', async (_name, body) => {
			const job = await played.running();
			job.takeOver();

			const { status } = await post(`${liveOf(job)}/input`, body);

			expect(status).toBe(400);
			expect(played.browsers[0]?.entered).toEqual([]);
		});

		it('does not repeat what was entered when the page does not take it', async () => {
			const job = await played.running();
			job.takeOver();
			const [browser] = played.browsers;
			if (!browser) throw new Error('There is no browser');
			browser.input = async () => await Promise.reject(new Error('keyboard.press: my-password'));

			const { status, data } = await post(`${liveOf(job)}/input`, { events: EVENTS });

			expect([status, data]).toEqual([422, { problem: 'The page did not take the input.' }]);
			expect(played.lines.join('\n')).not.toContain('my-password');
		});
	});

	describe('history', () => {
		it('lists each step with time, action, address, picture, problems and tokens', async () => {
			const job = await played.running();
			const { record, charge } = taskOf(job);
			charge({ inputTokens: 900, outputTokens: 40 });
			record(
				aStep({
					inputTokens: 900,
					outputTokens: 40,
					note: 'The list is short.',
					error: 'The button is hidden',
					notices: ['Refused: 169.254.169.254 is a private address'],
					screenshot: Buffer.from('jpeg'),
				}),
			);

			const { data } = await http.get(historyOf(job));

			for (const text of [
				'The agent is working.',
				'Find the price',
				'Clicked button &quot;Search&quot;',
				'https://shop.example/list',
				'The list is short.',
				'The button is hidden',
				'Refused: 169.254.169.254 is a private address',
				'2030-01-01 00:00:07 UTC',
				'900 tokens in, 40 out',
				'900 in, 40 out',
			]) {
				expect(data).toContain(text);
			}
			const [, source = ''] = /src="([^"]+)"/.exec(data) ?? [];
			const picture = await http.get(new URL(source, historyOf(job)).href);
			expect([picture.status, picture.data]).toEqual([200, 'jpeg']);
			expect(picture.headers).toMatchObject({
				'content-type': 'image/jpeg',
				'cache-control': 'no-store',
			});
		});

		it('shows texts of pages and models as text', async () => {
			const job = await played.running({ directive: MARKUP, initialUrl: MARKUP });
			const [action, address, note, error] = [1, 2, 3, 4].map((count) => `${count}${MARKUP}`);
			taskOf(job).record(
				aStep({ action, address, note, error, notices: [MARKUP], at: MARKUP, model: MARKUP }),
			);
			played.ends.get(job.id)?.resolve({ answer: MARKUP });
			await settle();

			const { data } = await http.get(historyOf(job));

			expect(data).not.toContain('<script');
			expect(data).not.toContain('<img src=x');
			expect(data.split(ESCAPED).length).toBeGreaterThan(6);
		});

		it('has no script, and is loaded again only while the job goes on', async () => {
			const job = await played.running();

			const running = (await http.get(historyOf(job))).data;
			await played.complete(job.id);
			const completed = (await http.get(historyOf(job))).data;

			expect(running).toContain('http-equiv="refresh"');
			expect(completed).not.toContain('http-equiv="refresh"');
			expect(running + completed).not.toContain('<script');
		});

		it('shows the output of a completed job, and the error of a failed one', async () => {
			const [completed, failed] = [await played.running(), await played.running()];
			played.ends.get(completed.id)?.resolve({ price: '7 EUR' });
			played.ends.get(failed.id)?.reject(new Error('unexpected'));
			await settle();

			expect((await http.get(historyOf(completed))).data).toContain('&quot;7 EUR&quot;');
			expect((await http.get(historyOf(failed))).data).toContain(
				'The service had an internal error',
			);
		});

		it('begins with what went wrong or was refused, with links to the steps', async () => {
			const job = await played.running();
			const notices = ["Downloaded 'a.csv' (7 bytes)", 'Refused: 10.0.0.1:80 is a private address'];
			taskOf(job).record(aStep({ number: 1 }));
			taskOf(job).record(aStep({ number: 2, error: 'It is disabled', notices }));

			const { data } = await http.get(historyOf(job));
			const [, list = ''] = /was refused<\/h2>([\s\S]*?)<\/ul>/.exec(data) ?? [];

			expect(list.match(/href="#step-\d+"/g)).toEqual(['href="#step-2"', 'href="#step-2"']);
			expect(list).toContain('It is disabled');
			expect(list).not.toContain('Downloaded');
			expect(data).toContain('id="step-2"');
		});

		it('tells a live view that is still open how the job has ended', async () => {
			const job = await played.running();
			const ending = `${historyOf(job)}/ending`;
			expect((await http.get(ending)).status).toBe(404);
			played.ends.get(job.id)?.resolve('7 EUR');
			await settle();

			expect((await http.get(ending)).data).toEqual({
				words: 'The job has completed.',
				output: '7 EUR',
				rest: 0,
				files: [],
			});
			expect((await http.get(ending.replace(job.record.historySecret, 'x'))).status).toBe(404);
		});

		it.each([['0'], ['2'], ['x'], ['..%2frecord.json'], ['1.jpg']])(
			'has no picture %s',
			async (number) => {
				const job = await played.running();
				taskOf(job).record(aStep({ screenshot: Buffer.from('jpeg') }));

				const { status, data } = await http.get(`${historyOf(job)}/steps/${number}`);

				expect([status, data]).toEqual([404, { problem: expect.any(String) }]);
			},
		);
	});
});
