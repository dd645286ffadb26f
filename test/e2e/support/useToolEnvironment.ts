import type { N8nApi } from '../../../dev/n8n/N8nApi';
import type { N8nInstance } from '../../../dev/n8n/N8nInstance';
import type { SandboxAdmin } from '../../../dev/sandbox/SandboxAdmin';
import type { WorkflowFile } from '../../../dev/n8n/examples';
import { startChatModel, type ChatModel } from './chatModel';
import { startTestEnvironment, type TestEnvironment } from './startTestEnvironment';

const JOB_SECONDS = 2;
const LONG_JOB_SECONDS = 240;

/** The option of a tool that waits no longer than 1.2 s: it checks the job once. */
export const SHORT_WAIT = { maxWaitMinutes: 0.02 };

interface ToolEnvironmentOptions {
	workflows?: WorkflowFile[];
	/** IDs of the workflows to publish. */
	publish?: string[];
	/** The type, and the ID, of the credential for the scripted chat model. Unset: there is none. */
	modelCredential?: 'openAiApi' | 'deepSeekApi';
}

/**
 * Makes an AI call a tool twice, with equal input; does `meanwhile` between the calls. Returns what
 * the AI reads of both.
 */
export type CallTwice = (meanwhile?: () => Promise<unknown>) => Promise<string[]>;

/** A full n8n instance for tests of the node as a tool of an AI. */
export interface ToolEnvironment {
	n8n: N8nInstance;
	api: N8nApi;
	/** The sandbox, without rate limits. Its jobs take two seconds. It is reset before each test. */
	admin: SandboxAdmin;
	model: ChatModel;
	/** How many starts have arrived. */
	starts(): Promise<number>;
	/** Tests that the second call returns the end of the job for which the first waited in vain. */
	continuesAfterTimeout(callTwice: CallTwice): Promise<void>;
}

/** Starts the environment for the tests of a file. Its parts are there from `beforeAll` on. */
export function useToolEnvironment({
	workflows = [],
	publish,
	modelCredential: type,
}: ToolEnvironmentOptions): ToolEnvironment {
	let running: TestEnvironment | undefined;
	let model: ChatModel | undefined;
	const environment = { starts, continuesAfterTimeout };
	const parts = environment as ToolEnvironment;

	beforeAll(async () => {
		model = await startChatModel();
		const { url } = model;
		const data = { apiKey: 'any-key', url };
		running = await startTestEnvironment({
			workflows: () => workflows,
			publish,
			credentials: () => (type === undefined ? [] : [{ id: type, name: type, type, data }]),
			sandbox: { defaultJobSeconds: JOB_SECONDS, limits: 'off' },
		});
		const { n8n, api, sandbox } = running;
		Object.assign(parts, { n8n, api, admin: sandbox.admin, model });
	});

	afterAll(async () => {
		await running?.stop();
		await model?.close();
	});

	beforeEach(async () => {
		await parts.admin.reset();
	});

	async function starts(): Promise<number> {
		return (await parts.admin.counters()).starts;
	}

	async function continuesAfterTimeout(callTwice: CallTwice): Promise<void> {
		const { admin } = parts;
		await admin.nextJob({ durationSeconds: LONG_JOB_SECONDS });

		const [timeout, result] = await callTwice(async () => await admin.advance(LONG_JOB_SECONDS));

		const [job] = await admin.jobs();
		expect(timeout).toContain(job?.job_id);
		expect(timeout).not.toContain('completed');
		expect(result).toContain('completed');
		expect(await starts()).toBe(1);
	}

	return parts;
}
