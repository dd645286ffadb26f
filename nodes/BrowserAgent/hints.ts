import type { NodeHint } from 'n8n-workflow';

import { REPOSITORY_URL } from '../package';

/**
 * If a job may run for longer, users are warned: the execution keeps running and, in queue mode,
 * occupies a worker.
 */
const LONG_JOB_MINUTES = 30;

const DOCS = `${REPOSITORY_URL}/blob/main/docs`;

// Only tools have 'descriptionType'. They need no hints, since nobody reads them there.
const IS_NODE = '$parameter["descriptionType"] === undefined';
const IS_RUN = `$parameter["operation"] === "run" && ${IS_NODE}`;
const IS_AGENT = '$parameter["resource"] === "agent"';
const WAITS = '$parameter["waitUntilFinished"] !== false';
const IS_WAIT = `(($parameter["operation"] === "run" && ${WAITS}) || $parameter["operation"] === "wait") && ${IS_NODE}`;
const IS_SUSPENDED = '$parameter["options"]?.["suspendWhileWaiting"] === true';
// Not set, 'Pause Job' is 'On Stop' for jobs that the node starts, and 'Never' for Job: Wait.
const PAUSE_JOB = '$parameter["options"]?.["pauseJob"]';
const PAUSES = `(${PAUSE_JOB} ?? ($parameter["operation"] === "run" ? "onStop" : "never")) !== "never"`;
const MAY_BE_LONG = `${IS_AGENT} && Number($parameter["browserConfig"]?.["maxDurationMinutes"]) > ${LONG_JOB_MINUTES}`;
const DIRECTIVE = 'String($parameter["directive"] ?? "")';
const NAMES_LOGIN = `/\\bpass(word|wort|phrase)|\\b(log|sign)[ -]?in\\b|\\bcredential/i.test(${DIRECTIVE})`;

/** The hints above the fields, and those of the output panel before a run and after it. */
export const hints: NodeHint[] = [
	{
		message: `Don't put a password into 'Directive': n8n stores it in plain text. ${link('How to log in instead', `${DOCS}/directives.md#logins-and-passwords`)}`,
		type: 'warning',
		location: 'ndv',
		whenToDisplay: 'always',
		displayCondition: `={{ ${IS_RUN} && ${IS_AGENT} && ${NAMES_LOGIN} }}`,
	},
	waitHint('the job is paused', PAUSES),
	waitHint('the job continues and keeps using credits', `!(${PAUSES})`),
	suspendedHint("Stop and 'Stop all' are safe there: the job is paused.", PAUSES),
	suspendedHint('If you stop it there, the job continues and keeps using credits.', `!(${PAUSES})`),
	{
		message: `This job may run for more than ${LONG_JOB_MINUTES} minutes, and the execution keeps running for as long as the job does. Turn on the option 'Suspend While Waiting' so that the wait survives restarts and doesn't occupy a worker, or turn off 'Wait Until Finished' and use the Browser Agent Trigger.`,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${IS_RUN} && ${WAITS} && !(${IS_SUSPENDED}) && ${MAY_BE_LONG} }}`,
	},
	{
		message:
			"With 'Wait Until Finished' off, the node only starts jobs. To get a result, pass job_id to Job: Wait or to the Browser Agent Trigger.",
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: `={{ ${IS_RUN} && !(${WAITS}) }}`,
	},
	{
		message: "To get the job's result, pass job_id to Job: Wait.",
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: `={{ $parameter["operation"] === "resume" && ${IS_NODE} }}`,
	},
];

function waitHint(whatStopDoes: string, condition: string): NodeHint {
	return {
		message: `The result appears when the job has finished. If you stop the execution, ${whatStopDoes}. ${link('Watch, stop or continue a job', `${DOCS}/what-happens-to-a-running-job.md#watch-or-stop-it`)}`,
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${IS_WAIT} && !(${IS_SUSPENDED}) && ${condition} }}`,
	};
}

function suspendedHint(whatStopDoes: string, condition: string): NodeHint {
	return {
		message: `While the job runs, you find the waiting execution under Overview → Executions. ${whatStopDoes} ${link('Suspended waits', `${DOCS}/waiting.md#suspended-waits`)}`,
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${IS_WAIT} && ${IS_SUSPENDED} && ${condition} }}`,
	};
}

function link(text: string, url: string): string {
	return `<a href="${url}" target="_blank">${text}</a>`;
}
