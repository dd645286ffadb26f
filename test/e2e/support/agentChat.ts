import type { N8nApi } from '../../../dev/n8n/N8nApi';
import type { OperationTool } from './operationTools';
import { PACKAGE_NAME } from '../../../nodes/package';

/** One of n8n's own agents, as *Agents* in its menu offers them. */
export class AgentChat {
	private constructor(
		private readonly api: N8nApi,
		private readonly path: string,
	) {}

	/**
	 * Creates an agent with these tools. Its model is one of DeepSeek's, since n8n uses the API for
	 * chat completions there; `deepSeekApi` must be the ID of the credential.
	 */
	static async create(api: N8nApi, tools: OperationTool[]): Promise<AgentChat> {
		const project = (await api.send('GET', '/rest/projects/personal')) as { id: string };
		const agents = `/rest/projects/${project.id}/agents/v2`;
		const name = 'Shopping agent';
		const schema = {
			name,
			model: 'deepseek/deepseek-chat',
			credential: 'deepSeekApi',
			instructions: 'Look things up with the browser tools.',
			tools: tools.map((tool) => ({
				type: 'node',
				name: tool.toolName,
				description: tool.name,
				node: {
					nodeType: `${PACKAGE_NAME}.browserAgentTool`,
					nodeTypeVersion: 1,
					nodeParameters: tool.parameters,
					credentials: {
						browserAgentApi: { id: 'browserAgentApi', name: 'Browser Agent API' },
					},
				},
			})),
		};
		const agent = (await api.send('POST', agents, { name, schema })) as { id: string };
		return new AgentChat(api, `${agents}/${agent.id}/chat`);
	}

	/** Sends a message in a new conversation; returns the events of the agent's answer as text. */
	async send(message: string): Promise<string> {
		return await this.api.sendForText('POST', this.path, { message });
	}
}
