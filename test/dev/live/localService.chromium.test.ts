import { setTimeout as pause } from 'node:timers/promises';

import { checkService, type Report } from '../../../dev/live/checkService';
import type { Service } from '../../../local-service/startService';
import { startService } from '../../../local-service/startService';
import { serviceSettings } from '../../local-service/support/serviceSettings';
import {
	type ModelAction,
	refOf,
	type Shown,
	useModelServer,
} from '../../local-service/support/useModelServer';
import { useShop } from '../../local-service/support/useShop';

/** For service and kit time passes so many times as fast as for browser and model. */
const TIME_SCALE = 4;

const shop = useShop();
const model = useModelServer();

/** What a model does that carries out the kit's tasks. */
function actAsAsked({ page, messages }: Shown): ModelAction {
	const task = JSON.stringify(messages[1]);
	const steps = messages.filter(({ role }) => role === 'assistant').length;
	const wait = { call: 'wait', input: { seconds: 1 + (steps % 2) } };
	if (task.includes('maximum duration')) return wait;
	if (task.includes('main heading')) {
		return { call: 'done', input: { output: /heading "([^"]+)"/.exec(page)?.[1] } };
	}
	if (steps === 0) return { call: 'click', input: { ref: refOf(page, 'link "Invoice"') } };
	return steps < 3 ? wait : { call: 'done', input: { output: 'done' } };
}

describe('test:live against the local service', () => {
	const now = () => Date.now() * TIME_SCALE;
	const lines: string[] = [];
	let service: Service;
	let report: Report;

	beforeAll(async () => {
		const settings = serviceSettings({
			...model.settings(),
			port: 0,
			allowedHosts: [shop.host],
			credits: 1000,
		});
		service = await startService(settings, {
			writeLog: () => {},
			clock: {
				now,
				after(ms, run) {
					const timer = setTimeout(run, ms / TIME_SCALE);
					return () => clearTimeout(timer);
				},
			},
		});
		model.does(actAsAsked);
		report = await checkService(
			{
				baseUrl: service.url,
				apiKey: service.apiKey,
				pageUrl: shop.url,
				fileUrl: `${shop.url}/invoice.pdf`,
			},
			{
				say: (line) => lines.push(line),
				clock: { now, sleep: async (ms) => await pause(ms / TIME_SCALE) },
			},
		);
	});
	afterAll(async () => await service?.close());

	it('finds what it does otherwise, which its README says, and nothing else', () => {
		const others = report.findings.others.map(({ name, seen }) => [name, seen]);

		expect(others).toEqual([
			['price', expect.stringMatching(/^charged 1, 2/)],
			['unknownModel', '400, {detail, status_code}'],
			['otherOrigin', service.url],
		]);
	});

	it('sees what only a browser and a clock can show', () => {
		const seen = report.findings.rows.filter(({ isShared, verdict }) => {
			return isShared !== true && verdict !== 'not seen';
		});

		expect(seen.map(({ name }) => name)).toEqual([
			...['status', 'output', 'paused', 'price', 'unknownModel', 'charged', 'maxDuration'],
			...['pausesDoNotCount', 'resumed', 'nullBefore', 'errorText', 'filesAtEnd', 'otherOrigin'],
		]);
	});

	it('starts three jobs, and leaves none running', () => {
		const jobs = [...lines.join('\n').matchAll(/^Job (\S+) was started/gm)].map(([, id]) => id);

		expect(jobs).toHaveLength(3);
		expect(report.stillRunning).toEqual([]);
		expect(jobs.map((id) => service.jobs.find(String(id))?.status)).toEqual([
			'completed',
			'completed',
			'failed',
		]);
	});

	it('never prints the key', () => {
		expect(report.findings.toTable() + lines.join('\n')).not.toContain(service.apiKey);
	});
});
