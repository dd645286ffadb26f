import { example } from '../../dev/n8n/examples';
import type { Execution } from '../../dev/n8n/N8nApi';
import type { Turn } from './support/chatModel';
import { SHORT_WAIT, useToolEnvironment } from './support/useToolEnvironment';

const MANUAL = "When clicking 'Execute workflow'";
const LAMP = {
	directive: 'Find the cheapest desk lamp',
	initialUrl: 'https://shop.example.com',
};

const environment = useToolEnvironment({
	workflows: [
		example('ai-agent-tool'),
		example('ai-agent-tool', { id: 'short-wait' }, { Browser: { options: SHORT_WAIT } }),
	],
	modelCredential: 'openAiApi',
});

async function run(workflowId: string, turns: Turn[]): Promise<Execution> {
	environment.model.play(turns);
	const id = await environment.api.startWorkflow(workflowId, MANUAL);
	return await environment.api.waitForExecution(id);
}

function answerOf(execution: Execution): unknown {
	return execution.runs['AI Agent']?.at(-1)?.data?.main?.[0]?.[0]?.json.output;
}

describe('Browser Agent as the tool of an AI Agent', () => {
	it('returns the result to the model, which answers with it', async () => {
		const execution = await run('ai-agent-tool', [
			{ callTool: LAMP },
			{ answer: 'It costs 19.90.' },
		]);

		const [job] = await environment.admin.jobs();
		expect(answerOf(execution)).toBe('It costs 19.90.');
		expect(job?.directive).toBe(LAMP.directive);
		expect(environment.model.toolResults()).toEqual([expect.stringContaining(String(job?.job_id))]);
		expect(environment.model.toolResults()[0]).toContain('completed');
	});

	it('lets the model leave out the URL', async () => {
		const { directive } = LAMP;

		await run('ai-agent-tool', [{ callTool: { directive } }, { answer: 'It costs 19.90.' }]);

		const [job] = await environment.admin.jobs();
		expect(job?.request).toMatchObject({ directive });
		expect(job?.request).not.toHaveProperty('initial_url');
		expect(environment.model.toolResults()[0]).toContain('completed');
	});

	it('continues with the same job when an equal call follows a timeout', async () => {
		await environment.continuesAfterTimeout(async (meanwhile) => {
			const callAgain = async () => {
				await meanwhile?.();
				return LAMP;
			};
			await run('short-wait', [
				{ callTool: LAMP },
				{ callTool: callAgain },
				{ answer: 'It costs 19.90.' },
			]);
			return environment.model.toolResults();
		});
	});
});
