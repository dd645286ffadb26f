import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { RETRY_ON_FAIL, runNode } from '../../support/runNode';
import { simulatedClock } from '../../support/simulatedClock';
import { setClock } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const server = useServer();
beforeEach(() => setClock());
afterAll(() => setClock());

const LATER_MS = 200;

/** How the service responds to starts, by their directive. */
const RESPONSES: Record<string, (response: ServerResponse) => void> = {
	rejected: (response) => send(response, 422, { detail: 'No' }),
	'started later': (response) =>
		void setTimeout(() => send(response, 200, { job_id: 'job_late' }), LATER_MS),
	'lost later': ({ socket }) =>
		void setTimeout(() => (socket as Socket).resetAndDestroy(), LATER_MS),
	'never answered': () => {},
};

function send(response: ServerResponse, statusCode: number, body: unknown): void {
	response.writeHead(statusCode, { 'Content-Type': 'application/json' });
	response.end(JSON.stringify(body));
}

async function runTasks(...tasks: string[]) {
	server.answers(({ path, body }, response) => {
		if (!path.includes('run_browser_agent')) return send(response, 200, { status: 'running' });
		const { directive } = JSON.parse(body) as { directive: string };
		RESPONSES[directive]?.(response);
	});
	return await runNode({
		baseUrl: server.url,
		resource: 'agent',
		operation: 'run',
		parameters: { directive: '={{ $json.task }}' },
		input: tasks.map((task) => ({ task })),
	});
}

describe('A batch that fails while starts are not answered', () => {
	it('names a job whose start is answered after the failure', async () => {
		const { error } = await runTasks('rejected', 'started later');

		expect(error).toMatchObject({
			message: 'The service did not accept the request: No',
			description: expect.stringContaining('Jobs started by this node: job_late.'),
			context: { itemIndex: 0, jobIds: ['job_late'] },
		});
	});

	it('says that a start has become unclear after the failure', async () => {
		const { error } = await runTasks('rejected', 'lost later');

		expect(error?.description).toContain(
			'Starts with an unclear outcome: 1; their jobs may be running.',
		);
	});

	it('says after 5 s how many starts are not answered', async () => {
		const clock = simulatedClock();
		setClock(clock);
		const began = clock.now();

		const { error } = await runTasks('rejected', 'never answered', 'never answered');

		expect(error?.description).toContain('Starts not answered yet: 2;');
		expect(clock.now() - began).toBe(5_000);
	});
});

describe('A job that an earlier try has started', () => {
	it("returns the service's whole response to the start when Simplify is off", async () => {
		const whole = { job_id: 'job_1', status: 'running', extra: { more: 1 } };
		let starts = 0;
		server.answers((_arrival, response) => {
			starts++;
			if (starts === 2) send(response, 422, { detail: 'Not yet' });
			else send(response, 200, starts === 1 ? whole : { job_id: 'job_2', status: 'running' });
		});

		const { items } = await runNode({
			baseUrl: server.url,
			resource: 'agent',
			operation: 'run',
			parameters: { directive: 'Go', waitUntilFinished: false, simplify: false },
			input: [{}, {}],
			settings: RETRY_ON_FAIL,
		});

		expect(starts).toBe(3);
		expect(items[0]?.json).toEqual({ job_id: 'job_1', status: 'running', response: whole });
	});
});
