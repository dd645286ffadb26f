import assert from 'node:assert/strict';
import type { INodeExecutionData } from 'n8n-workflow';

import { createNode, createPollContext } from '../../engine/engine';
import type { Subject } from './Subject';
import { callTool } from './callTool';

export const AGENT_RUN = { resource: 'agent', operation: 'run', directive: 'Describe the page' };
const TRIGGER = 'n8n-nodes-browser-agent.browserAgentTrigger';
const POLLED_WITHIN_MS = 20_000;

/** Throws when something differs from what users expect; returns false where the package does without it. */
export type Check = (subject: Subject) => Promise<boolean | void>;

/** What must work on every release. */
export const CHECKS: Record<string, Check> = {
	async jobs(subject) {
		const { items } = await subject.run({ ...AGENT_RUN, directive: 'One job' });
		assert.equal(items[0]?.json.status, 'completed');
		assert.equal(typeof items[0]?.json.output, 'object');

		// Retry On Fail finds the job that the first try has started.
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		await subject.admin.nextJob({ match: 'Fails', durationSeconds: 1, outcome: 'failed' });
		const failed = await subject.run({ ...AGENT_RUN, directive: 'Fails' }, { settings });
		assert.match(failed.error?.message ?? '', /job_\w+/);
		assert.equal((await jobsOf(subject, 'Fails')).length, 1);
	},

	async waiting(subject) {
		await subject.admin.nextJob({ match: 'Three seconds', durationSeconds: 3 });
		const start = { ...AGENT_RUN, directive: 'Three seconds', waitUntilFinished: false };
		const { items } = await subject.run(start);
		const jobId = String(items[0]?.json.job_id);
		const waited = await subject.run({ resource: 'job', operation: 'wait', jobId });
		assert.equal(waited.items[0]?.json.status, 'completed');
		assert.ok(
			((await jobsOf(subject, 'Three seconds'))[0]?.polls ?? 0) > 1,
			'The job was polled only once',
		);

		await subject.admin.nextJob({ match: 'Endless', statuses: ['running'] });
		const running = subject.start({ ...AGENT_RUN, directive: 'Endless' });
		await until(async () => ((await jobsOf(subject, 'Endless'))[0]?.polls ?? 0) > 0);
		running.stop();
		await running.finished;
		await until(async () => (await jobsOf(subject, 'Endless'))[0]?.status === 'paused');
	},

	async trigger(subject) {
		const { items } = await subject.run({ ...AGENT_RUN, directive: 'Watched' });
		const jobId = String(items[0]?.json.job_id);
		const node = createNode('Trigger', TRIGGER, {
			parameters: { jobSource: 'ids', jobIds: jobId, triggerOn: ['completed'] },
		});
		const parts = subject.parts({ [TRIGGER]: subject.classes.trigger });
		const context = createPollContext(node, parts);
		const poll = async () => await subject.classes.trigger.poll?.call(context);
		assert.deepEqual(jobIdsIn(await poll()), [jobId]);
		assert.equal(await poll(), null);
	},

	async files(subject) {
		const files = [{ filename: 'report.csv', content: 'day,sales\n1,20\n' }];
		await subject.admin.nextJob({ match: 'Files', durationSeconds: 1, files });
		const { items } = await subject.run({
			...AGENT_RUN,
			directive: 'Files',
			options: { downloadFiles: true },
		});
		assert.deepEqual(filesIn(items[0]), { 'report.csv': 'day,sales\n1,20\n' });
		const jobId = String(items[0]?.json.job_id);
		const listed = await subject.run({ resource: 'jobFile', operation: 'getAll', jobId });
		assert.equal(listed.items[0]?.json.filename, 'report.csv');
	},

	async tool(subject) {
		const parameters = { ...AGENT_RUN, directive: "={{ $fromAI('directive', 'The task') }}" };
		const answer = await callTool(subject, parameters, { directive: 'As a tool' });
		const [job] = await jobsOf(subject, 'As a tool');
		assert.ok(job && answer.includes(job.job_id), `The tool answered: ${answer}`);
	},

	async credential(subject) {
		const balance = { resource: 'account', operation: 'getCreditBalance' };
		const { items } = await subject.withKey('sandbox-pro-key').run(balance);
		assert.equal(items[0]?.json.plan, 'pro');
		const refused = await subject.withKey('wrong-key').run(balance);
		assert.match(refused.error?.message ?? '', /API key/);
	},
};

async function jobsOf({ admin }: Subject, directive: string) {
	return (await admin.jobs()).filter((job) => job.directive === directive);
}

function jobIdsIn(output: INodeExecutionData[][] | null | undefined): unknown[] {
	return (output ?? []).flat().map(({ json }) => json.job_id);
}

// Without a folder for files, n8n keeps them in the item as base64.
function filesIn(item: INodeExecutionData | undefined): Record<string, string> {
	const files = Object.values(item?.binary ?? {});
	return Object.fromEntries(
		files.map(({ fileName = '', data }) => [fileName, Buffer.from(data, 'base64').toString()]),
	);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
	const deadline = performance.now() + POLLED_WITHIN_MS;
	while (!(await condition())) {
		if (performance.now() > deadline) throw new Error(`Timed out: ${String(condition)}`);
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
}
