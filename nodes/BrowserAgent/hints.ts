import type { NodeHint } from 'n8n-workflow';

/**
 * If a job may run for longer, users are warned: the execution keeps running and, in queue mode,
 * occupies a worker.
 */
const LONG_JOB_MINUTES = 30;

const WATCHING =
	'https://github.com/browser-agent-contributors/n8n-nodes-browser-agent/blob/main/docs/waiting.md#watch-a-job-while-it-runs';

// Only tools have 'descriptionType'. They need no hints, since nobody reads them there.
const IS_RUN = '$parameter["operation"] === "run" && $parameter["descriptionType"] === undefined';
const WAITS = '$parameter["waitUntilFinished"] !== false';
const IS_SUSPENDED = '$parameter["suspendWhileWaiting"] === true';
const NEVER_PAUSES = '$parameter["options"]?.["pauseJob"] === "never"';
const MAY_BE_LONG = `$parameter["resource"] === "agent" && $parameter["browser"] !== "own" && Number($parameter["browserConfig"]?.["maxDurationMinutes"]) > ${LONG_JOB_MINUTES}`;

/** The hints of the output panel, before a run and after it. */
export const hints: NodeHint[] = [
	waitHint('If you stop the execution, the job is paused', `!(${NEVER_PAUSES})`),
	waitHint('If you stop the execution, the job continues', NEVER_PAUSES),
	{
		message: `This job may run for more than ${LONG_JOB_MINUTES} minutes, and the execution keeps running for as long as the job does. Turn on 'Suspend While Waiting' so that the wait survives restarts and doesn't occupy a worker, or turn off 'Wait Until Finished' and use the Browser Agent Trigger.`,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${IS_RUN} && ${WAITS} && !(${IS_SUSPENDED}) && ${MAY_BE_LONG} }}`,
	},
	{
		message:
			'The job is running. To get its result, pass job_id to Job: Wait or to the Browser Agent Trigger.',
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: `={{ ${IS_RUN} && !(${WAITS}) }}`,
	},
];

function waitHint(whatStopDoes: string, condition: string): NodeHint {
	return {
		message: `The result appears when the job has finished. ${whatStopDoes}, and its ID is in the execution's highlighted data. To get the live link right away, turn off 'Wait Until Finished' and add a Job: Wait node: <a href="${WATCHING}" target="_blank">Watch a job while it runs</a>.`,
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${IS_RUN} && ${WAITS} && !(${IS_SUSPENDED}) && !(${MAY_BE_LONG}) && ${condition} }}`,
	};
}
