import path from 'node:path';

import { sandboxCredential, type WorkflowFile } from '../n8n/examples';
import { installN8n } from '../n8n/installN8n';
import { N8nApi } from '../n8n/N8nApi';
import { N8nInstance } from '../n8n/N8nInstance';
import { packPackage } from '../n8n/packPackage';
import { freePorts } from '../n8n/ports';
import type { Sandbox } from '../sandbox/startSandbox';

const PATH = 'wait';

/**
 * A full n8n instance with the packed package and a workflow that waits, suspended, for a given
 * job.
 */
export interface WaitingN8n {
	n8n: N8nInstance;
	api: N8nApi;
	/** The ID of the workflow. */
	workflowId: string;
	/** Starts an execution that waits for a job. */
	wait(jobId: string): Promise<void>;
}

/** Starts n8n, with the package as it would be published, and publishes the workflow. */
export async function startN8n(workFolder: string, sandbox: Sandbox): Promise<WaitingN8n> {
	const archive = await packPackage(workFolder);
	const [port = 0, broker = 0] = await freePorts(2);
	const n8n = new N8nInstance({
		installed: await installN8n(() => {}),
		userFolder: path.join(workFolder, 'user'),
		ports: [port, broker],
	});
	await n8n.addPackage(archive);
	await n8n.importMissing([sandboxCredential(sandbox.url)], [waitingWorkflow()]);
	await n8n.start();
	const api = new N8nApi(n8n);
	await api.signIn();
	await api.publish(PATH);
	return {
		n8n,
		api,
		workflowId: PATH,
		async wait(jobId) {
			const answer = await fetch(`${n8n.url}/webhook/${PATH}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ job_id: jobId }),
			});
			if (!answer.ok) throw new Error(`The webhook answered ${answer.status}`);
		},
	};
}

function waitingWorkflow(): WorkflowFile {
	return {
		id: PATH,
		name: PATH,
		nodes: [
			{
				id: 'webhook',
				name: 'Webhook',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				position: [0, 0],
				webhookId: PATH,
				parameters: { httpMethod: 'POST', path: PATH, responseMode: 'onReceived', options: {} },
			},
			{
				id: 'wait',
				name: 'Wait for Job',
				type: 'n8n-nodes-browser-agent.browserAgent',
				typeVersion: 1,
				position: [220, 0],
				parameters: {
					resource: 'job',
					operation: 'wait',
					jobId: '={{ $json.body.job_id }}',
					suspendWhileWaiting: true,
				},
				credentials: { browserAgentApi: { id: 'browserAgentApi', name: 'Browser Agent API' } },
			},
		],
		connections: { Webhook: { main: [[{ node: 'Wait for Job', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
}
