import type { ServerResponse } from 'node:http';

import { runNode } from '../../support/runNode';
import { simulatedClock, type SimulatedClock } from '../../support/simulatedClock';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const server = useServer();
let clock: SimulatedClock;
beforeEach(() => setClock((clock = simulatedClock())));
afterAll(() => setClock());

const MAX_WAIT_MINUTES = 0.5;
const DEADLINE_MS = 30_000;
const GRACE_MS = 5_000;

/** Waits for a job of a service that responds like this to status calls and to pauses. */
async function waitForJob(
	respond: Record<'status' | 'pause', (response: ServerResponse) => void>,
	options = {},
) {
	server.answers(({ path }, response) => {
		if (path.includes('pause_job')) respond.pause(response);
		else respond.status(response);
	});
	const began = clock.now();
	const { error } = await runNode({
		baseUrl: server.url,
		resource: 'job',
		operation: 'wait',
		parameters: { jobId: 'job_1', options: { maxWaitMinutes: MAX_WAIT_MINUTES, ...options } },
	});
	return { error, tookMs: clock.now() - began };
}

const hang = () => {};

function answer(response: ServerResponse): void {
	response.writeHead(200, { 'Content-Type': 'application/json' });
	response.end('{"status":"running"}');
}

/** Sends a piece of a body now and then, as time passes for the node. */
function drip(response: ServerResponse): void {
	response.writeHead(200, { 'Content-Type': 'application/json' });
	const next = () => {
		if (response.destroyed) return;
		response.write(' ');
		void clock.sleep(1_000).then(next);
	};
	next();
}

describe('A wait ends at most 5 s after Max Wait (Minutes)', () => {
	it.each([
		['hangs', hang],
		['drips', drip],
	])('when the status call %s', async (_label, status) => {
		const { error, tookMs } = await waitForJob({ status, pause: answer });

		expect(error?.message).toBe(
			`The status of job job_1 could not be checked for ${MAX_WAIT_MINUTES} minutes`,
		);
		expect(tookMs).toBeGreaterThanOrEqual(DEADLINE_MS);
		expect(tookMs).toBeLessThanOrEqual(DEADLINE_MS + GRACE_MS);
	});

	it.each([
		['hangs', hang],
		['drips', drip],
	])('when the request to pause the job %s', async (_label, pause) => {
		const { error, tookMs } = await waitForJob(
			{ status: answer, pause },
			{ pauseWhenAbandoned: true },
		);

		expect(error?.description).toContain('The job is being paused.');
		expect(tookMs).toBeLessThanOrEqual(DEADLINE_MS + GRACE_MS);
	});
});
