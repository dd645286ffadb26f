import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { WorkflowFile } from '../../dev/n8n/examples';
import type { ManagedProcess } from '../../dev/n8n/ManagedProcess';
import { freePorts } from '../../dev/n8n/ports';
import { postgresEnvironment, startPostgres } from '../../dev/n8n/queue/postgres';
import { PACKAGE_NAME } from '../../nodes/package';
import { startJob } from '../e2e/support/startJob';
import { startTestEnvironment, type TestEnvironment } from '../e2e/support/startTestEnvironment';
import { waitFor } from '../e2e/support/waitFor';
import { aWorkflow, browserAgent } from '../e2e/support/workflowFile';

const DURABLE_CURSORS = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};
// n8n polls once a minute. A killed n8n keeps its lease on a poll for up to a minute.
const SOME_POLLS_MS = 180_000;
const CLOSED_WITHIN_MS = 30_000;
const ROUNDS = 2;
/** Longer than it takes to notice that an execution is running. */
const EXECUTION_SECONDS = 60;

let environment: TestEnvironment;
let postgres: ManagedProcess;
let databaseFolder: string;
let database: Database;

beforeAll(async () => {
	databaseFolder = mkdtempSync(path.join(tmpdir(), 'browser-agent-postgres-'));
	const [port = 0] = await freePorts(1);
	postgres = await startPostgres(databaseFolder, port);
	const env = postgresEnvironment(port);
	environment = await startTestEnvironment({
		sandbox: { limits: 'off' },
		env: { ...env, ...DURABLE_CURSORS },
		workflows: ({ sandboxUrl }) => [watchAllJobs('watch', sandboxUrl)],
	});
	database = await connect(env);
}, 600_000);

afterAll(async () => {
	await database?.end();
	await environment?.stop();
	await postgres?.stop();
	rmSync(databaseFolder, { recursive: true, force: true });
});

function watchAllJobs(id: string, sandboxUrl: string): WorkflowFile {
	const parameters = {
		pollTimes: { item: [{ mode: 'everyMinute' }] },
		jobSource: 'url',
		jobListUrl: `${sandboxUrl}/_sandbox/jobs`,
	};
	return aWorkflow(
		id,
		{
			...browserAgent('Trigger', parameters),
			type: `${PACKAGE_NAME}.browserAgentTrigger`,
		},
		{
			name: 'Wait',
			type: 'n8n-nodes-base.wait',
			typeVersion: 1.1,
			parameters: { amount: EXECUTION_SECONDS },
		},
	);
}

/** A connection to n8n's database: the part of a client of the package `pg` that is needed here. */
interface Database {
	connect(): Promise<void>;
	query(text: string): Promise<{ rows: Array<Record<string, unknown>> }>;
	end(): Promise<void>;
}

async function connect(env: Record<string, string>): Promise<Database> {
	const { Client } = createRequire(environment.n8n.installed.program)('pg') as {
		Client: new (options: object) => Database;
	};
	const client = new Client({
		host: env.DB_POSTGRESDB_HOST,
		port: Number(env.DB_POSTGRESDB_PORT),
		database: env.DB_POSTGRESDB_DATABASE,
		user: env.DB_POSTGRESDB_USER,
		password: env.DB_POSTGRESDB_PASSWORD,
	});
	await client.connect();
	return client;
}

async function count(query: string): Promise<number> {
	const { rows } = await database.query(`SELECT count(*)::int AS count FROM ${query}`);
	return Number(rows[0]?.count);
}

/** Kills n8n while it stores an execution that the trigger has started, which it can't. */
async function killWhileStoring(): Promise<void> {
	const { n8n } = environment;
	const storing =
		"pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO%execution_entity%'";
	await database.query('BEGIN; LOCK TABLE execution_entity IN EXCLUSIVE MODE');
	try {
		await waitFor(async () => {
			// Within a transaction, PostgreSQL shows what it has shown before.
			await database.query('SELECT pg_stat_clear_snapshot()');
			return (await count(storing)) > 0;
		}, SOME_POLLS_MS);
		await n8n.kill();
	} finally {
		await database.query('ROLLBACK');
	}
	// PostgreSQL rolls back what n8n had begun.
	const others =
		"pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
	await waitFor(async () => (await count(others)) === 0, CLOSED_WITHIN_MS);
}

async function restart(): Promise<void> {
	await environment.n8n.start();
	await environment.api.signIn();
}

async function startFinishedJob(): Promise<string> {
	const { admin, url } = environment.sandbox;
	await admin.nextJob(['completed']);
	return await startJob(url);
}

/** The job of each execution, whether or not it ended. */
async function emittedJobs(): Promise<string[]> {
	const executions = await environment.api.getExecutions('watch');
	return executions.map(({ stored }) => /job_[0-9a-f]+/.exec(stored)?.[0] ?? 'no job');
}

async function waitUntilRunning(jobId: string): Promise<void> {
	const isRunning = async () => {
		const executions = await environment.api.getExecutions('watch');
		return executions.some(({ status, stored }) => status === 'running' && stored.includes(jobId));
	};
	await waitFor(isRunning, SOME_POLLS_MS, `the execution that ${jobId} starts is running`);
}

it('with durable cursors, the trigger emits each event once even if n8n is killed', async () => {
	const { api, n8n } = environment;
	// n8n stores a cursor with the first event.
	const jobs = [await startFinishedJob()];
	await api.publish('watch');
	await waitUntilRunning(String(jobs[0]));

	for (let round = 0; round < ROUNDS; round++) {
		const jobId = await startFinishedJob();
		jobs.push(jobId);
		await killWhileStoring();
		await expect(count(`execution_data WHERE data LIKE '%${jobId}%'`)).resolves.toBe(0);
		await restart();
		await waitUntilRunning(jobId);
		await n8n.kill();
		await restart();
	}
	const last = await startFinishedJob();
	await waitUntilRunning(last);

	expect((await emittedJobs()).sort()).toEqual([...jobs, last].sort());
}, 1_200_000);
