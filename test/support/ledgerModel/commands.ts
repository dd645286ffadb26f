import fc from 'fast-check';

import type { LedgerSystem, Scenario } from './LedgerSystem';
import type { Endpoint, Reply } from './ModelService';

/** What decides which commands make sense. */
export interface LedgerModel {
	executions: number;
	isOpen: boolean;
}

type Command = fc.AsyncCommand<LedgerModel, LedgerSystem>;

const MAX_EXECUTIONS = 3;

function command(
	name: string,
	run: (system: LedgerSystem) => void | Promise<void>,
	check: (model: Readonly<LedgerModel>) => boolean = () => true,
): Command {
	return {
		check,
		toString: () => name,
		async run(model, system) {
			await run(system);
			expect(system.service.violations).toEqual([]);
			model.executions = system.executions.length;
			model.isOpen = system.open !== undefined;
		},
	};
}

const isOpen = (model: Readonly<LedgerModel>) => model.isOpen;

const scenario: fc.Arbitrary<Scenario> = fc
	.record({
		form: fc.constantFrom<Scenario['form'][]>(
			'agent',
			'agent',
			'agent',
			'jobs',
			'tool called by the agent',
			'tool run by the engine',
		),
		count: fc.integer({ min: 1, max: 4 }),
		areEqual: fc.boolean(),
		areAtOnce: fc.boolean(),
		waits: fc.constantFrom(true, true, true, false),
		onStop: fc.constantFrom<Scenario['onStop'][]>('pause', 'leave'),
		pauseWhenAbandoned: fc.boolean(),
		tries: fc.constantFrom<Scenario['tries'][]>(1, 2, 3),
		onError: fc.constantFrom<Scenario['onError'][]>(
			'stopWorkflow',
			'stopWorkflow',
			'continueRegularOutput',
			'continueErrorOutput',
		),
		maxParallelJobs: fc.constantFrom(1, 2, 10),
		maxWaitMinutes: fc.constantFrom(0.2, 1, 5),
		onTimeout: fc.constantFrom<Scenario['onTimeout'][]>('fail', 'return'),
		onUnsuccessful: fc.constantFrom<Scenario['onUnsuccessful'][]>('fail', 'return'),
		onPaused: fc.constantFrom<Scenario['onPaused'][]>('wait', 'return'),
		minimumCredits: fc.constantFrom(undefined, undefined, 10),
		maxAttempts: fc.constantFrom<Scenario['maxAttempts'][]>(1, 1, 2, 3),
		stopBelowCredits: fc.constantFrom(undefined, undefined, 100),
	})
	.map(({ count, areEqual, ...one }) => {
		const isTool = one.form.startsWith('tool');
		const tasks = Array.from({ length: count }, (_, index) =>
			isTool && areEqual ? 'task 0' : `task ${index}`,
		);
		// n8n shows no error output for a tool.
		const onError = isTool && one.onError === 'continueErrorOutput' ? 'stopWorkflow' : one.onError;
		// Each of equal calls at the same time reads the balance itself, and sees it at another moment.
		const stopBelowCredits = isTool && one.areAtOnce ? undefined : one.stopBelowCredits;
		return { ...one, onError, stopBelowCredits, tasks };
	});

const afterMs = fc.constantFrom(0, 20, 500, 3_000, 9_000, 40_000);
const isProcessed = fc.boolean();
const JOB_ID = '{"job_id":"../x","status":"running"}';

const failure: fc.Arbitrary<Reply> = fc.oneof(
	fc.record({
		kind: fc.constant('status' as const),
		statusCode: fc.constantFrom(500, 502, 503),
		afterMs,
		isProcessed,
	}),
	fc.record({
		kind: fc.constant('status' as const),
		statusCode: fc.constantFrom(400, 401, 402, 403, 404, 422, 307),
		afterMs,
		isProcessed: fc.constant(false),
	}),
	fc.record({
		kind: fc.constant('status' as const),
		statusCode: fc.constant(429),
		afterMs,
		isProcessed: fc.constant(false),
		retryAfter: fc.constantFrom(undefined, 1, 20, 90),
	}),
	fc.record({
		kind: fc.constant('lost' as const),
		code: fc.constantFrom<['ECONNRESET', 'EPROTO']>('ECONNRESET', 'EPROTO'),
		afterMs,
		isProcessed,
	}),
	fc.record({
		kind: fc.constant('no connection' as const),
		code: fc.constantFrom<['ECONNREFUSED', 'ENOTFOUND']>('ECONNREFUSED', 'ENOTFOUND'),
		afterMs,
	}),
	fc.record({ kind: fc.constant('hang' as const), isProcessed }),
	fc.record({
		kind: fc.constant('unreadable' as const),
		body: fc.constantFrom('<html>Gateway</html>', '{}', '[]', '', JOB_ID),
		afterMs,
		isProcessed,
	}),
	fc.record({ kind: fc.constant('truncated' as const), afterMs, isProcessed }),
);

const reply: fc.Arbitrary<Reply> = fc.oneof(
	fc.record({ kind: fc.constantFrom<['ok', 'ok', 'slow body']>('ok', 'ok', 'slow body'), afterMs }),
	failure,
);

const endpoint = fc.constantFrom<Endpoint[]>(
	'start',
	'start',
	'poll',
	'pause',
	'resume',
	'balance',
);
const jobIndex = fc.integer({ min: 0, max: 3 });

/** Everything that can happen, in any order. */
export const commands: Array<fc.Arbitrary<Command>> = [
	scenario.map((one) =>
		command(
			`begin(${JSON.stringify(one)})`,
			async (system) => await system.begin(one),
			(model) => !model.isOpen && model.executions < MAX_EXECUTIONS,
		),
	),
	fc
		.tuple(endpoint, reply)
		.map(([to, one]) =>
			command(`script(${JSON.stringify(to)}, ${JSON.stringify(one)})`, ({ service }) =>
				service.script(to, one),
			),
		),
	fc
		.constantFrom(5, 100, 1_000, 6_000, 15_000, 61_000)
		.map((ms) => command(`pass(${ms})`, async ({ time }) => await time.advance(ms), isOpen)),
	fc
		.tuple(
			jobIndex,
			fc.constantFrom('completed', 'failed', 'failed', 'canceled', 'cancelled', 'user_taken_over'),
		)
		.map(([index, status]) =>
			command(
				`end(${index}, '${status}')`,
				({ service }) => {
					const job = service.jobs.at(-1 - index);
					if (job === undefined || service.update(job).status !== 'running') return;
					job.endStatus = status;
					job.status = status;
				},
				isOpen,
			),
		),
	jobIndex.map((index) =>
		command(
			`pauseByUser(${index})`,
			({ service }) => {
				const job = service.jobs.at(-1 - index);
				if (job !== undefined) service.pause(job);
			},
			isOpen,
		),
	),
	jobIndex.map((index) =>
		command(
			`resumeByUser(${index})`,
			({ service }) => {
				const job = service.jobs.at(-1 - index);
				if (job !== undefined) service.resumeByUser(job);
			},
			isOpen,
		),
	),
	fc
		.constantFrom(5, 50, 1_000)
		.map((credits) =>
			command(`setBalance(${credits})`, ({ service }) => service.setBalance(credits)),
		),
	fc.constant(command('stop()', async (system) => await system.stop(), isOpen)),
	fc.constant(command('kill()', (system) => system.kill(), isOpen)),
];
