import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { JobFailure } from '../../local-service/JobFailure';
import type { Service } from '../../local-service/startService';
import { waitFor } from '../support/waitFor';
import { processesWith } from './support/processesWith';
import { type ModelAction, useModelServer } from './support/useModelServer';
import { callApi, useServices } from './support/useService';
import { useShop } from './support/useShop';

const JOBS = 50;
const PLACES = 3;
const LONG_MS = 60_000;
/** On a busy machine. */
const TEST_LIMIT_MS = 600_000;

/**
 * How jobs end, one after the other, and how many ms after their start: from before their browser
 * is there until after their agent's end. Half of them end as they should.
 */
const ENDS = ['done', 'stopped', 'done', 'killed', 'done', 'given up'] as const;
const MOMENTS = [0, 60, 300, 700, 1100, 1500, 2000, 3000];

const model = useModelServer();
const shop = useShop();
const services = useServices();

/** What is there of a service: connections and servers of this process, and what it has started. */
function belongings(service: Service) {
	const open = process.getActiveResourcesInfo();
	const count = (type: string) => open.filter((one) => one === type).length;
	return {
		processes: processesWith(service.dataFolder).length,
		folders: readdirSync(path.join(service.dataFolder, 'tmp')).length,
		servers: count('TCPServerWrap') + count('PipeServerWrap'),
		pipes: count('PipeWrap') + count('ProcessWrap'),
		sockets: count('TCPSocketWrap'),
	};
}

async function startJob(service: Service, directive: string) {
	const body = {
		directive,
		initial_url: shop.url,
		browser_config: { use_user_browser_profile: directive === 'profile' },
	};
	for (;;) {
		const { status, json } = await callApi(service, '/v1/run_browser_agent', { body });
		if (status === 200) return service.jobs.find(String(json.job_id))!;
		expect(status).toBe(429);
		await sleep(50);
	}
}

async function run(service: Service, index: number): Promise<string> {
	const end = ENDS[index % ENDS.length]!;
	const job = await startJob(service, end === 'done' && index % 4 === 0 ? 'profile' : end);
	if (end === 'stopped' || end === 'killed') {
		const before = processesWith(service.dataFolder);
		await sleep(MOMENTS[(index * 5) % MOMENTS.length]);
		if (end === 'stopped') job.fail(new JobFailure('Stopped by the test'));
		// Perhaps that of another job, and perhaps none is there yet.
		else if (before[0] !== undefined) killIfThere(before[0]);
	}
	await job.released;
	return job.status;
}

function killIfThere(id: number): void {
	try {
		process.kill(id, 'SIGKILL');
	} catch {
		// It has ended meanwhile.
	}
}

it(
	`${JOBS} jobs leave nothing, however half of them end`,
	async () => {
		model.does(({ messages, number }): ModelAction => {
			const directive = messages.find(({ role }) => role === 'user')?.content;
			if (directive === 'given up') return { call: 'give_up', input: { reason: 'No' } };
			return number % 2 === 0
				? { call: 'wait', input: { seconds: 0 } }
				: { call: 'done', input: { output: 'yes' } };
		});
		const service = await services.start({
			allowedHosts: [shop.host],
			maxJobs: PLACES,
			...model.settings(),
		});
		// What stays open after the first job is there for all.
		await run(service, 0);
		await sleep(500);
		const before = belongings(service);

		const left = Array.from({ length: JOBS }, (_, index) => index);
		const statuses: string[] = [];
		await Promise.all(
			Array.from({ length: PLACES }, async () => {
				for (let index = left.shift(); index !== undefined; index = left.shift()) {
					statuses.push(await run(service, index));
				}
			}),
		);

		expect(statuses).toHaveLength(JOBS);
		expect(statuses.filter((status) => status === 'completed').length).toBeGreaterThan(JOBS / 4);
		expect(statuses.filter((status) => status === 'failed').length).toBeGreaterThan(JOBS / 4);
		await waitFor(() => {
			const now = belongings(service);
			expect(now).toMatchObject({ processes: 0, folders: 0, servers: before.servers });
			expect(now.pipes).toBeLessThanOrEqual(before.pipes);
			// Of clients that may still use them, to the service, the model and the shop.
			expect(now.sockets).toBeLessThanOrEqual(before.sockets + 4 * PLACES);
		}, LONG_MS);
	},
	TEST_LIMIT_MS,
);
