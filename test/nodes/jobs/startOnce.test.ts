import { createWork } from '../../../dev/engine/createWork';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { startOnce } from '../../../nodes/jobs/startOnce';
import { Account } from '../../../nodes/service/Account';
import { createClient } from '../../../nodes/service/ClientFactory';

const START = { request: { path: '/v1/run_browser_agent', body: {} }, minimumCredits: 0 };

it.each(Array.from({ length: 20 }, (_, turns) => turns))(
	'A start that is not recorded at the end of the run is not sent, %d microtasks after it began',
	async (turns) => {
		const clock = new SimulatedClock(0);
		const end = new AbortController();
		const send = jest.fn(async () => await new Promise<never>(() => {}));
		const client = createClient(
			{ baseUrl: 'http://localhost', apiKey: 'sk-test' },
			{ sendWithKey: send, sendWithoutKey: send },
			{ clock, accountOf: (name) => new Account(name, clock) },
		);
		const work = createWork({ clock, client, signal: end.signal });
		const starting = startOnce(work, START);
		for (let turn = 0; turn < turns; turn++) await Promise.resolve();
		const { state } = work.job.record;

		end.abort();

		await starting.catch(() => {});
		await clock.advance(0);
		expect(send).toHaveBeenCalledTimes(state === 'none' ? 0 : 1);
	},
);
