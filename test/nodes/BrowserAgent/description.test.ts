import { NodeHelpers, type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { BrowserAgent } from '../../../nodes/BrowserAgent/BrowserAgent.node';
import { evaluateIn, hintsOf } from '../../support/evaluateIn';
import { createNode } from '../../../dev/engine/engine';
import { AGENT_TYPE } from '../../support/runNode';

const node = new BrowserAgent();
const { description } = node;

describe('The subtitle of the action node', () => {
	it.each([
		['agent', 'run', 'Agent: Run'],
		['job', 'get', 'Job: Get Status'],
		['jobFile', 'getAll', 'Job File: Get Many'],
	])('of %s %s is "%s"', (resource, operation, subtitle) => {
		expect(evaluateIn(node, { resource, operation }, description.subtitle ?? '')).toBe(subtitle);
	});
});

describe('The hints of the action node', () => {
	const LIVE = expect.stringMatching(
		/you stop the execution, the job is paused\. <a href="https:\S+#watch-or-stop-it"/,
	) as string;
	const CONTINUES = expect.stringMatching(
		/If you stop the execution, the job continues and keeps using credits\. <a /,
	) as string;
	const SAFE = expect.stringMatching(
		/under Overview → Executions\. Stop and 'Stop all' are safe there: .*#suspended-waits"/,
	) as string;
	const LONG = expect.stringContaining('may run for more than 30 minutes') as string;
	const RUNNING = expect.stringContaining('pass job_id to Job: Wait') as string;
	const UNSAFE = expect.stringContaining('If you stop it there, the job continues') as string;
	const AGENT: INodeParameters = { resource: 'agent', operation: 'run', directive: 'Look' };
	const NEVER = { pauseJob: 'never' };
	const ON_STOP = { options: { pauseJob: 'onStop' } };
	const JOB_WAIT: INodeParameters = { resource: 'job', operation: 'wait', jobId: 'job_1' };

	/** Agent: Run with a job of up to so many minutes. */
	function lasting(maxDurationMinutes: number): INodeParameters {
		return { ...AGENT, browserConfig: { maxDurationMinutes } };
	}

	function suspended(parameters: INodeParameters, options = {}): INodeParameters {
		return { ...parameters, options: { suspendWhileWaiting: true, ...options } };
	}

	it.each<[string, INodeParameters, unknown[]]>([
		['tell the user of a run that waits how to watch it live', AGENT, [LIVE]],
		['say nothing about long waits for a job of 30 minutes', lasting(30), [LIVE]],
		['say how to wait for a job of 31 minutes', lasting(31), [LIVE, LONG]],
		['say nothing about the length of a suspended wait', suspended(lasting(240)), [SAFE]],
		['say where a suspended execution is found, and that Stop is safe', suspended(AGENT), [SAFE]],
		['say that Stop pauses no job of a suspended Job: Wait', suspended(JOB_WAIT), [UNSAFE]],
		['say that Stop pauses no job of a suspended wait', suspended(AGENT, NEVER), [UNSAFE]],
		['say that the job of Job: Wait continues after Stop', JOB_WAIT, [CONTINUES]],
		['say that Stop pauses the job of Job: Wait with On Stop', { ...JOB_WAIT, ...ON_STOP }, [LIVE]],
		['say that the job continues after Stop with Never', { ...AGENT, options: NEVER }, [CONTINUES]],
		...['password', 'Log in as', 'Passwort', 'sign-in'].map(
			(word): [string, INodeParameters, unknown[]] => [
				`warn about passwords when the directive contains "${word}"`,
				{ ...AGENT, directive: `Use this ${word}` },
				[expect.stringMatching(/Don't put a password .*#logins-and-passwords"/), LIVE],
			],
		),
		[
			'warn about no password because a word only contains such letters',
			{ ...AGENT, directive: 'Find design inspiration, in the blog index and a catalog in German' },
			[LIVE],
		],
		['say nothing about a run that does not wait', { ...AGENT, waitUntilFinished: false }, []],
	])('before a run %s', (_label, parameters, expected) => {
		expect(hintsOf(node, parameters, 'beforeExecution')).toEqual(expected);
	});

	it('say nothing in a tool', () => {
		// n8n adds this field to the description of a tool.
		const field: INodeProperties = {
			displayName: 'Tool Description',
			name: 'descriptionType',
			type: 'string',
			default: 'auto',
		};
		const tool = new BrowserAgent();
		tool.description.properties = [field, ...description.properties];

		expect(hintsOf(tool, AGENT, 'beforeExecution')).toEqual([]);
		expect(hintsOf(tool, JOB_WAIT, 'beforeExecution')).toEqual([]);
	});

	it.each([
		['that did not wait, say where its result comes from', { waitUntilFinished: false }, [RUNNING]],
		['that has waited, say nothing', { directive: 'Download the PDF' }, []],
	])('after a run %s', (_label, parameters, expected) => {
		expect(hintsOf(node, { ...AGENT, ...parameters }, 'afterExecution')).toEqual(expected);
	});

	it('after Job: Resume say how to get the result', () => {
		const resume = { resource: 'job', operation: 'resume', jobId: 'job_1' };

		expect(hintsOf(node, resume, 'afterExecution')).toEqual([
			"To get the job's result, pass job_id to Job: Wait.",
		]);
	});
});

/** The options that the editor offers for this operation of the node of this name. */
function optionsOf(nodeName: string, parameters: INodeParameters): string[] {
	const nodeType = { ...description, name: nodeName };
	const isShown = (property: INodeProperties, values: INodeParameters) =>
		NodeHelpers.displayParameter(
			values,
			property,
			createNode('Browser Agent', AGENT_TYPE),
			nodeType,
			parameters,
		);
	const options = description.properties.find(
		(property) => property.name === 'options' && isShown(property, parameters),
	);
	return ((options?.options ?? []) as INodeProperties[])
		.filter((option) => isShown(option, {}))
		.map(({ name }) => name);
}

describe('The options of the action node', () => {
	const OF_WAITS = ['downloadFiles', 'maxFileSizeMb', 'maxParallelJobs', 'suspendWhileWaiting'];
	const OF_RUNS = [...OF_WAITS, 'returnCdpUrl'];

	it.each<[string, INodeParameters, string[]]>([
		['Agent: Run', { resource: 'agent', operation: 'run' }, OF_RUNS],
		['Saved Workflow: Run', { resource: 'workflow', operation: 'run' }, OF_RUNS],
		['Job: Wait', { resource: 'job', operation: 'wait' }, OF_WAITS],
	])(
		'are the same in a tool, without those that do not apply there: %s',
		(_label, operation, unusable) => {
			const parameters = { ...operation, waitUntilFinished: true };
			const ofNode = optionsOf('browserAgent', parameters);
			const ofTool = optionsOf('browserAgentTool', parameters);

			expect(ofNode).toContain('returnInsteadOfFailing');
			expect(ofNode.filter((name) => !ofTool.includes(name)).sort()).toEqual(unusable.sort());
			expect(ofTool).toContain('returnInsteadOfFailing');
		},
	);

	it.each([
		['Agent: Run', 'agent'],
		['Saved Workflow: Run', 'workflow'],
	])('of %s without waiting are those about the start', (_label, resource) => {
		const parameters = { resource, operation: 'run', waitUntilFinished: false };

		expect(optionsOf('browserAgent', parameters).sort()).toEqual([
			'minimumCredits',
			'pauseJob',
			'returnCdpUrl',
		]);
	});
});
