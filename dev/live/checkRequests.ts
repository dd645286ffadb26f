import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { toFields, toJobPath } from './OwnJobs';
import { noteAnswer, noteStatus, type Visit } from './Visit';

const AGENT = '/v1/run_browser_agent';
const BALANCE = '/v1/get_credit_balance';

/** What is needed to go on. */
export interface Account {
	/** Why the rest can't be checked. */
	refusal?: string;
	/** Undefined if it is not known or unlimited. */
	credits?: number;
}

/** Checks what costs nothing: health, balance, and what must be refused. */
export async function checkRequests(visit: Visit): Promise<Account> {
	const { client, findings } = visit;
	const health = await client.call('GET', '/v1/health', { key: null });
	if (health.status === 0) {
		return { refusal: `BASE_URL cannot be reached, ${client.describe(health)}` };
	}
	const isRefused = health.status === 401 || health.status === 403;
	const isFound = health.status < 400;
	if (isFound || isRefused) findings.note('health', isFound, client.describe(health));
	const isOk = health.status === 200 && isDeepStrictEqual(health.json, { status: 'ok' });
	findings.note('healthAnswer', isOk, client.describe(health));

	const wrongKey = await client.call('GET', BALANCE, { key: 'not-a-key-of-this-service' });
	noteStatus(visit, 'wrongKey', wrongKey, 401);
	const balance = await client.call('GET', BALANCE);
	noteAnswer(visit, 'balance', balance, { status: 200, method: 'get', path: BALANCE });
	if (balance.status === 401) return { refusal: 'The service refuses API_KEY with a 401' };
	if (typeof balance.json !== 'object') {
		const seen = client.describe(balance);
		return { refusal: `BASE_URL does not answer as this API does: its balance is ${seen}` };
	}

	await checkRefusals(visit);
	const { unlimited, credit_balance: credits } = toFields(balance.json);
	return { credits: typeof credits === 'number' && unlimited !== true ? credits : undefined };
}

async function checkRefusals(visit: Visit): Promise<void> {
	const { client, jobs } = visit;
	const unauthorized = await jobs.start(
		'by a start without a key',
		AGENT,
		{},
		{
			key: null,
		},
	);
	if (unauthorized.answer) {
		const expected = { status: 401, method: 'post', path: AGENT };
		noteAnswer(visit, 'unauthorized', unauthorized.answer, expected);
	}
	const invalid = await jobs.start('by a start without a directive', AGENT, {});
	if (invalid.answer) {
		noteAnswer(visit, 'invalid', invalid.answer, { status: 422, method: 'post', path: AGENT });
	}
	const blank = await jobs.start('by a blank directive', AGENT, { directive: ' ' });
	if (blank.answer) noteStatus(visit, 'blank', blank.answer, 400);

	const id = `unknown-${randomUUID()}`;
	noteStatus(
		visit,
		'unknownJob',
		await client.call('GET', toJobPath('get_job_status', { id })),
		404,
	);
	noteStatus(
		visit,
		'unknownJob',
		await client.call('GET', toJobPath('get_job_files', { id })),
		404,
	);
	noteStatus(visit, 'wrongMethod', await client.call('GET', AGENT), 405);
	const workflow = await jobs.start(
		'by an unknown workflow',
		`/workflows/run-with-payload/${id}`,
		{},
	);
	if (workflow.answer) noteStatus(visit, 'unknownWorkflow', workflow.answer, 404);
}
