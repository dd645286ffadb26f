import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

import type { InstalledN8n } from './installN8n';
import type { Owner } from './environment';
import type { CredentialFile } from './examples';

interface NodeRun {
	error?: { message: string };
	data?: Record<string, Array<Array<{ json: Record<string, unknown> }> | null>>;
}

interface ExecutionRow {
	id: string;
	status: string;
	/** `integrated` for a sub-workflow. */
	mode: string;
	/** When n8n resumes a suspended execution, as an ISO date. */
	waitTill?: string | null;
}

/** An execution with its data. */
export interface Execution extends ExecutionRow {
	startedAt: string;
	stoppedAt: string | null;
	/** The runs of each node, by its name. */
	runs: Record<string, NodeRun[]>;
	error?: { message: string; description?: string | null };
	/** Shown as "Highlighted data". */
	customData?: Record<string, string>;
	/** The data as n8n stores it, and the highlighted data, to search for a text anywhere in them. */
	stored: string;
}

interface StoredData {
	resultData?: { runData?: Execution['runs']; error?: Execution['error'] };
}

const RUNNING = ['new', 'running', 'waiting', 'unknown'];
const CHECK_INTERVAL_MS = 300;
const SIGN_IN_MS = 150_000;

/** The part of the editor's REST API that tests need, called as the owner. */
export class N8nApi {
	private cookie = '';

	constructor(private readonly n8n: { url: string; owner: Owner; installed: InstalledN8n }) {}

	/**
	 * Signs in. n8n creates its owner while it starts, so this is retried for two and a half minutes.
	 */
	async signIn(): Promise<void> {
		const { email, password } = this.n8n.owner;
		const deadline = Date.now() + SIGN_IN_MS;
		for (;;) {
			const answer = await fetch(`${this.n8n.url}/rest/login`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ emailOrLdapLoginId: email, password }),
			});
			if (answer.ok) {
				this.cookie = answer.headers
					.getSetCookie()
					.map((line) => line.split(';')[0])
					.join('; ');
				return;
			}
			if (Date.now() > deadline) throw new Error(`n8n refused the sign-in: ${await answer.text()}`);
			await sleep(CHECK_INTERVAL_MS);
		}
	}

	/** Publishes the workflow as it is, as the button does. */
	async publish(workflowId: string): Promise<void> {
		const workflow = await this.send('GET', `/rest/workflows/${workflowId}`);
		const { versionId } = workflow as { versionId: string };
		await this.send('POST', `/rest/workflows/${workflowId}/activate`, { versionId });
	}

	/** Gives a credential other data, as its dialog does. */
	async updateCredential({ id, ...credential }: CredentialFile): Promise<void> {
		await this.send('PATCH', `/rest/credentials/${id}`, credential);
	}

	/**
	 * Starts the workflow at this trigger, as "Execute workflow" does; returns the execution's ID.
	 */
	async startWorkflow(workflowId: string, triggerName: string): Promise<string> {
		const { executionId } = (await this.send('POST', `/rest/workflows/${workflowId}/run`, {
			triggerToStartFrom: { name: triggerName },
		})) as { executionId?: string };
		if (executionId === undefined)
			throw new Error(`${workflowId} was not started: its trigger waits for a call`);
		return executionId;
	}

	async listExecutions(workflowId: string): Promise<ExecutionRow[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = (await this.send('GET', `/rest/executions?filter=${filter}&limit=100`)) as {
			results: ExecutionRow[];
		};
		return results;
	}

	async getExecutions(workflowId: string): Promise<Execution[]> {
		const rows = await this.listExecutions(workflowId);
		return await Promise.all(rows.map(async ({ id }) => await this.getExecution(id)));
	}

	async getExecution(id: string): Promise<Execution> {
		const { data, ...row } = (await this.send('GET', `/rest/executions/${id}`)) as Execution & {
			data: string;
		};
		const { parse } = createRequire(this.n8n.installed.program)('flatted') as {
			parse: (text: string) => StoredData | undefined;
		};
		// An execution that has just started has no data yet.
		const { resultData } = parse(data) ?? {};
		return {
			...row,
			runs: resultData?.runData ?? {},
			error: resultData?.error,
			stored: `${data}${JSON.stringify(row.customData)}`,
		};
	}

	/** The execution once it has ended, or as it is after `timeoutMs`. */
	async waitForExecution(id: string, timeoutMs = 120_000): Promise<Execution> {
		const deadline = Date.now() + timeoutMs;
		for (;;) {
			const execution = await this.getExecution(id);
			if (!RUNNING.includes(execution.status) || Date.now() > deadline) return execution;
			await sleep(CHECK_INTERVAL_MS);
		}
	}

	async stopExecution(executionId: string): Promise<void> {
		await this.send('POST', `/rest/executions/${executionId}/stop`);
	}

	/** Stops all executions of the workflow that run or wait, as "Stop all" does. */
	async stopAll(workflowId: string): Promise<void> {
		const filter = { workflowId, status: RUNNING };
		await this.send('POST', '/rest/executions/stopMany', { filter });
	}

	async deleteExecution(executionId: string): Promise<void> {
		await this.send('POST', '/rest/executions/delete', { ids: [executionId] });
	}

	/** Sends a request to a path of n8n; returns the data of the answer. Rejects if it fails. */
	async send(method: string, path: string, body?: unknown): Promise<unknown> {
		const text = await this.sendForText(method, path, body);
		return (JSON.parse(text) as { data: unknown }).data;
	}

	/** As `send`, for an answer that is not JSON. */
	async sendForText(method: string, path: string, body?: unknown): Promise<string> {
		const answer = await fetch(this.n8n.url + path, {
			method,
			headers: { 'content-type': 'application/json', cookie: this.cookie },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
		return text;
	}
}
