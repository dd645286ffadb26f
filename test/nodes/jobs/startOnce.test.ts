import { createWork } from '../../../dev/engine/createWork';
import { SimulatedAccount } from '../../../dev/engine/SimulatedAccount';
import { startOnce } from '../../../nodes/jobs/startOnce';
import { waitFor } from '../../support/waitFor';

it.each(Array.from({ length: 20 }, (_, turns) => turns))(
	'A start that is not recorded at the end of the run is not sent, %d microtasks after it began',
	async (turns) => {
		const account = new SimulatedAccount();
		const { clock } = account;
		const end = new AbortController();
		const work = createWork({ clock, client: account.connect(), signal: end.signal });
		const starting = startOnce(work, { start: { request: account.toStart(0), minimumCredits: 0 } });
		for (let turn = 0; turn < turns; turn++) await Promise.resolve();
		const { state } = work.job.record;

		end.abort();

		await starting.catch(() => {});
		await clock.advance(0);
		expect(account.requests.startAgent).toBe(state === 'none' ? 0 : 1);
	},
);

describe('A run that is stopped while it waits for the start of an earlier run', () => {
	/** Stops the run, before or after the response to the start, which may be an error. */
	async function stop({ isAnswered, status }: { isAnswered: boolean; status?: number }) {
		const account = new SimulatedAccount({ latencyMs: () => 1_000 });
		const { clock } = account;
		const task = { start: { request: account.toStart(60_000), minimumCredits: 0 } };
		clock.hold();
		if (status !== undefined) account.fault({ endpoint: 'startAgent', kind: 'status', status });
		const earlier = createWork({ clock, client: account.connect() });
		const starting = startOnce(earlier, task);
		await waitFor(() => expect(earlier.job.record.state).toBe('starting'));
		const end = new AbortController();
		const { client, job } = earlier;
		const later = createWork({ clock, client, job, signal: end.signal });
		const ending = startOnce(later, task).then(
			() => 'continued',
			(error: Error) => error.message,
		);

		if (isAnswered) {
			const endRun = () => end.abort();
			void starting.then(endRun, endRun);
			await clock.advance(2_000);
		} else end.abort();

		return await ending;
	}

	it('says that the service had not yet responded', async () => {
		expect(await stop({ isAnswered: false })).toContain('the service had not yet responded');
	});

	it('says that it is unclear whether a job was started', async () => {
		expect(await stop({ isAnswered: true, status: 502 })).toContain('it is unclear');
	});

	it('says that no job was started after a refusal', async () => {
		expect(await stop({ isAnswered: true, status: 422 })).toContain('no job was started');
	});

	it('names the job if there is one', async () => {
		expect(await stop({ isAnswered: true })).toMatch(/did not wait for job job_\w+$/);
	});
});

it('A run that ended while the credential was read again leaves the start of the next run alone', async () => {
	const account = new SimulatedAccount({ latencyMs: () => 1_000 });
	const { clock } = account;
	const client = account.connect();
	const task = { start: { request: account.toStart(60_000), minimumCredits: 0 } };
	let endRead = (_hasNewKey: boolean) => {};
	const reading = new Promise<boolean>((resolve) => (endRead = resolve));
	const read = jest.spyOn(client, 'hasNewKey').mockReturnValue(reading);
	account.fault({ endpoint: 'startAgent', kind: 'status', status: 401 });
	const end = new AbortController();
	const earlier = createWork({ clock, client, signal: end.signal });
	const ending = startOnce(earlier, task).catch(() => {});
	await waitFor(() => expect(read).toHaveBeenCalled());
	end.abort();
	await ending;

	clock.hold();
	const later = createWork({ clock, client, job: earlier.job });
	const starting = startOnce(later, task);
	await waitFor(() => expect(later.job.record.state).toBe('starting'));
	endRead(true);
	await clock.advance(2_000);

	await starting;
	expect(later.job.record.state).toBe('started');
	expect(account.requests.startAgent).toBe(2);
});
