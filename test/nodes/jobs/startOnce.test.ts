import { Readable } from 'node:stream';

import { createWork } from '../../../dev/engine/createWork';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { startOnce } from '../../../nodes/jobs/startOnce';
import { Account } from '../../../nodes/service/Account';
import { createClient } from '../../../nodes/service/ClientFactory';
import type { Send } from '../../../nodes/service/HttpClient';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { waitFor } from '../../support/waitFor';

const START = { request: { path: '/v1/run_browser_agent', body: {} }, minimumCredits: 0 };

/** A client that sends with this function instead of over the network. */
function clientWith(clock: SimulatedClock, send: Send): ServiceClient {
	return createClient(
		{ baseUrl: 'http://localhost', apiKey: 'sk-test' },
		{ sendWithKey: send, sendWithoutKey: send },
		{ clock, accountOf: (name) => new Account(name, clock) },
	);
}

it.each(Array.from({ length: 20 }, (_, turns) => turns))(
	'A start that is not recorded at the end of the run is not sent, %d microtasks after it began',
	async (turns) => {
		const clock = new SimulatedClock(0);
		const end = new AbortController();
		const send = jest.fn(async () => await new Promise<never>(() => {}));
		const work = createWork({ clock, client: clientWith(clock, send), signal: end.signal });
		const starting = startOnce(work, START);
		for (let turn = 0; turn < turns; turn++) await Promise.resolve();
		const { state } = work.job.record;

		end.abort();

		await starting.catch(() => {});
		await clock.advance(0);
		expect(send).toHaveBeenCalledTimes(state === 'none' ? 0 : 1);
	},
);

describe('A run that is stopped while it waits for the start of an earlier run', () => {
	/** Stops the run; `response`: what the service says to the start just before. */
	async function stop(response?: object): Promise<unknown> {
		const clock = new SimulatedClock(0);
		let respond = (_body: object) => {};
		const send: Send = async () =>
			await new Promise((resolve) => {
				respond = (body) =>
					resolve({
						statusCode: 200,
						headers: {},
						body: Readable.from(Buffer.from(JSON.stringify(body)), { objectMode: false }),
					});
			});
		const client = clientWith(clock, send);
		const earlier = createWork({ clock, client });
		const starting = startOnce(earlier, START);
		await waitFor(() => expect(earlier.job.record.state).toBe('starting'));
		const end = new AbortController();
		const later = createWork({ clock, client, signal: end.signal, job: earlier.job });
		const ending = startOnce(later, START).then(
			() => 'continued',
			(error: Error) => error.message,
		);

		if (response !== undefined) {
			respond(response);
			await starting;
		}
		end.abort();

		return await ending;
	}

	it('says that the service had not yet responded', async () => {
		expect(await stop()).toContain('the service had not yet responded');
	});

	it('names the job if there is one', async () => {
		expect(await stop({ job_id: 'job_1', status: 'running' })).toContain('job_1');
	});
});
