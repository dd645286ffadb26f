import type { IRun } from 'n8n-workflow';

import { type Output, placesWithout, readableText } from '../../../dev/fuzz/jobPromises';
import type { Job } from '../../../dev/sandbox/state/Job';
import type { JobState } from '../../../nodes/jobs/jobStates';
import { INPUT_NAME, NODE_NAME } from '../runNode';
import { isTool, STOP_WITHIN_MS, type ModelExecution, type Scenario } from './ModelSystem';
import type { RecordingSandbox, ServiceRequest } from './RecordingSandbox';

const SAYS_UNCLEAR = /may be running|unclear|may have succeeded|not yet responded/i;
// How long a pause is tried, and its last request is answered.
const PAUSED_WITHIN_MS = 340_000;
const CREDENTIALS_AFTER_STOP = 4;
const TAKEN_OVER = 'user_taken_over';
const FINAL = ['completed', 'failed', 'canceled'];

/** What does not hold, once everything that belongs to an execution has come to its end. */
export function violationsOf(
	execution: ModelExecution,
	sandbox: RecordingSandbox,
	executions: ModelExecution[],
): string[] {
	const requests = sandbox.requests.filter(({ caller }) => caller === execution);
	const group = executions.filter((other) => sharesCalls(execution, other));
	const starts = requests.filter(({ endpoint }) => endpoint === 'startAgent');
	const named = starts.filter(({ outcome }) => outcome === 'done');
	const known = [...named.map(({ job }) => job), ...execution.given];
	const histories = sandbox.jobs
		.filter((job) => known.includes(job) && requests.some((request) => request.job === job))
		.map((job) => historyOf(job, group, sandbox));
	return [
		...wrongEnd(execution),
		...lateStarts(execution, starts, sandbox),
		...repeatedStarts(group, sandbox),
		...lostIds(execution, named),
		...unreportedStarts(execution, starts),
		...leftRunning(execution, histories),
		...wronglyPaused(group, requests),
		...wrongStates(group, sandbox),
	];
}

/**
 * An execution that does not end, or too late after a Stop, or without an item for each of its own.
 */
function wrongEnd({ owner, stoppedAt, endedAt, run, scenario }: ModelExecution): string[] {
	if (owner.isDead) return [];
	if (run === undefined || endedAt === undefined) return ['it does not end'];
	if (stoppedAt !== undefined) {
		// A pause needs the credential of its item, in each try that n8n begins after the Stop.
		const withinMs = STOP_WITHIN_MS + CREDENTIALS_AFTER_STOP * (scenario.credentialMs ?? 0);
		return endedAt > stoppedAt + withinMs ? ['it ends late after a Stop'] : [];
	}
	if (run.status !== 'success' || isTool(scenario.form)) return [];
	const outputs = run.data.resultData.runData[NODE_NAME]?.at(-1)?.data?.main ?? [];
	const items = outputs.flatMap((output) => output ?? []);
	return items.length === scenario.tasks.length ? [] : ['items are missing in the output'];
}

function lateStarts(
	{ requestsBeforeStop = Infinity }: ModelExecution,
	starts: ServiceRequest[],
	{ requests }: RecordingSandbox,
): string[] {
	return starts
		.filter((start) => requests.indexOf(start) >= requestsBeforeStop)
		.map(({ task }) => `a start of ${task} after the Stop`);
}

/** Starts beyond those that each item may have, and those that follow an unclear one. */
function repeatedStarts(group: ModelExecution[], sandbox: RecordingSandbox): string[] {
	const [{ form, waits, options } = {} as Scenario] = group.map(({ scenario }) => scenario);
	const tasks = group.flatMap(({ scenario }) => scenario.tasks);
	const answers = group.flatMap((execution) => execution.answers);
	const starts = startsOf(group, sandbox);
	const maxAttempts = form === 'jobs' || !waits ? 1 : (options.maxAttempts ?? 1);
	return [...new Set(tasks)].flatMap((task) => {
		const ofTask = starts.filter((start) => start.task === task);
		const outcomes = ofTask.map(({ outcome }) => outcome);
		const paid = outcomes.filter((outcome) => outcome !== 'nothing');
		const items = tasks.filter((one) => one === task).length;
		// A call that waits continues with the job of an equal one until its end was returned.
		const ends = answers.filter((answer) =>
			ofTask.some(
				({ job }) =>
					job !== undefined && answer.includes(job.id) && isEndIn(answer, job, sandbox.requests),
			),
		);
		const allowed = isTool(form) && waits ? Math.min(items, 1 + ends.length) : items;
		const isRepeated = outcomes.slice(0, -1).includes('unclear');
		return paid.length > allowed * maxAttempts || isRepeated ? [`${task}: ${outcomes.join()}`] : [];
	});
}

/** Whether an answer of the node, its items or an error, tells of the job's end. */
function isEndIn(answer: string, job: Job, requests: ServiceRequest[]): boolean {
	if (answer.includes('"is_finished":true')) return true;
	const seen = requests.filter((request) => request.job === job);
	return !answer.includes('"is_finished":false') && wasSeen(seen, ...FINAL);
}

function startsOf(group: ModelExecution[], { requests }: RecordingSandbox): ServiceRequest[] {
	return requests.filter(
		({ caller, endpoint }) =>
			endpoint === 'startAgent' && group.some((execution) => execution === caller),
	);
}

/**
 * Whether calls of the same task share a job: both executions are the same for n8n, or it has none,
 * and the node has the same parameters.
 */
function sharesCalls(one: ModelExecution, other: ModelExecution): boolean {
	// n8n leaves out the values of options that it doesn't show: a tool that an agent calls has no
	// 'Max Parallel Jobs', and a node that doesn't wait has no options of waits.
	const parametersOf = ({ scenario: { form, waits, options } }: ModelExecution) => {
		const { maxParallelJobs, ...others } = options;
		const shown = form === 'called by the agent' ? others : { ...others, maxParallelJobs };
		return JSON.stringify([waits, waits ? shown : options.pauseJob]);
	};
	const isSame = one.owner === other.owner && one.executionId === other.executionId;
	return one === other || (isSame && parametersOf(one) === parametersOf(other));
}

/** IDs that the node has received from the sandbox, but that the user can't find. */
function lostIds(execution: ModelExecution, named: ServiceRequest[]): string[] {
	const { run, stoppedAt, endedAt = Infinity, owner, scenario } = execution;
	const log = owner.log.map(({ line }) => line);
	return named.flatMap(({ job, answeredAt = 0 }) => {
		const isLate = run === undefined || answeredAt >= endedAt;
		// n8n drops what a stopped tool has answered.
		const isDropped = isTool(scenario.form) && stoppedAt !== undefined;
		const id = String(job?.id);
		const missing = placesWithout(id, {
			log,
			highlighted: isLate ? undefined : (run.data.resultData.metadata ?? {}),
			output: isLate || isDropped ? undefined : outputOf(run),
		});
		return missing.map((place) => `${id} is not in ${place}`);
	});
}

/** Unclear starts that nothing reports to the user. */
function unreportedStarts(
	{ run, stoppedAt, owner }: ModelExecution,
	starts: ServiceRequest[],
): string[] {
	const unclear = starts.filter(({ outcome }) => outcome === 'unclear');
	if (run === undefined || unclear.length === 0) return [];
	const text =
		stoppedAt === undefined
			? readableText(outputOf(run))
			: owner.log.map(({ line }) => line).join();
	return SAYS_UNCLEAR.test(text) ? [] : unclear.map(({ task }) => `${task}: its unclear start`);
}

/** Jobs that a stopped execution leaves running although they could be paused. */
function leftRunning(execution: ModelExecution, histories: JobHistory[]): string[] {
	const { scenario, stoppedAt, owner, answers } = execution;
	if (stoppedAt === undefined || owner.isDead || !isPausing(execution)) return [];
	return histories.flatMap(({ job, ...history }) => {
		const { userResume, wasPausedByNode, failedPauses, requests } = history;
		if (!isLeftRunning({ job, ...history }, stoppedAt)) return [];
		// An equal call has continued with the job since.
		const latest = requests.findLast(({ caller }) => caller !== undefined);
		if (latest?.caller !== execution) return [];
		if (wasPausedByNode || (userResume && userResume.sentAt >= stoppedAt)) return [];
		// Its item was returned, with the browser in the user's hands.
		const isReturned = returnsTakenOver(scenario) && wasSeen(requests, TAKEN_OVER);
		if (isReturned) return [];
		// A call of a tool has ended with its answer, whatever becomes of the next one.
		const isAnswered = answers.some((answer) => answer.includes(job.id));
		if (isTool(scenario.form) && isAnswered) return [];
		const isSaid = owner.log.some(
			({ at, line }) => at >= stoppedAt && line.includes(`gave up pausing job ${job.id}`),
		);
		return isSaid && failedPauses > 0 ? [] : [`${job.id} is running`];
	});
}

/**
 * Jobs that the node was not asked to pause. A call that cannot continue with an equal one's job
 * completes the pause that it has interrupted.
 */
function wronglyPaused(group: ModelExecution[], requests: ServiceRequest[]): string[] {
	const pauses = requests.filter(({ endpoint }) => endpoint === 'pauseJob');
	return group.some(isPausing) ? [] : pauses.map(({ job }) => `${job?.id} is paused without need`);
}

/**
 * What must be true of a job, and of the node's own last requests for it, when nothing is under
 * way.
 */
const MEANINGS: Record<JobState, (history: JobHistory) => boolean> = {
	none: () => false,
	starting: () => false,
	unclear: () => false,
	started: ({ lastPause, lastResume, userResume, requests }) =>
		lastPause?.outcome !== 'done' ||
		(lastResume ?? userResume) !== undefined ||
		wasSeen(requests, TAKEN_OVER),
	unsettled: ({ lastPause, lastResume }) =>
		(lastPause !== undefined && lastPause.outcome !== 'done') || lastResume?.outcome === 'unclear',
	paused: ({ status, userResume }) =>
		['paused', TAKEN_OVER].includes(status) || userResume !== undefined,
	ended: ({ requests }) => wasSeen(requests, ...FINAL),
};

function wasSeen(requests: ServiceRequest[], ...statuses: string[]): boolean {
	return requests.some(({ status }) => status !== undefined && statuses.includes(status));
}

/** Remembered jobs whose state is not what has happened. */
function wrongStates(group: ModelExecution[], sandbox: RecordingSandbox): string[] {
	if (group.some(({ owner }) => owner.isDead)) return [];
	const starts = startsOf(group, sandbox);
	const jobs = [...starts.map(({ job }) => job), ...group.flatMap(({ given }) => given)];
	const histories = sandbox.jobs
		.filter((job) => jobs.includes(job))
		.map((job) => historyOf(job, group, sandbox));
	const entries = new Set(group.flatMap((execution) => [...execution.entries]));
	const records = [...entries].flatMap((entry) => entry.jobs.map(({ record }) => record));
	const unclear = records.filter(({ state }) => state === 'unclear').length;
	const unclearStarts = starts.filter(({ outcome }) => outcome === 'unclear').length;
	const wrong = records.flatMap(({ state, job_id }) => {
		const history = histories.find(({ job }) => job.id === job_id);
		return history === undefined || MEANINGS[state](history) ? [] : `${job_id} is ${state}`;
	});
	return unclear === unclearStarts ? wrong : [`${unclear} of ${unclearStarts} starts are unclear`];
}

/** A job that an execution has started or was given, and what was sent for it. */
interface JobHistory {
	job: Job;
	status: string;
	requests: ServiceRequest[];
	failedPauses: number;
	/** The execution's last pause request. */
	lastPause?: ServiceRequest;
	/** The execution's last resume request after `lastPause`. */
	lastResume?: ServiceRequest;
	/** The user's last resume request. */
	userResume?: ServiceRequest;
	/** Whether a node, not a user, had last paused the job before `userResume`. */
	wasPausedByNode: boolean;
}

function historyOf(job: Job, group: ModelExecution[], sandbox: RecordingSandbox): JobHistory {
	const requests = sandbox.requests.filter((request) => request.job === job);
	const own = requests.filter(({ caller }) => group.some((execution) => execution === caller));
	const pauses = own.filter(({ endpoint }) => endpoint === 'pauseJob');
	const lastPause = pauses.at(-1);
	const afterPause = own.slice(lastPause === undefined ? 0 : own.indexOf(lastPause));
	const isUserResume = ({ endpoint, caller, isProcessed }: ServiceRequest) =>
		endpoint === 'resumeJob' && caller === undefined && isProcessed === true;
	const resumed = requests.findLastIndex(isUserResume);
	const pausedBefore = requests
		.slice(0, Math.max(0, resumed))
		.findLast(({ endpoint, isProcessed }) => endpoint === 'pauseJob' && isProcessed === true);
	return {
		job,
		status: sandbox.statusOf(job),
		requests,
		failedPauses: pauses.filter(({ outcome }) => outcome !== 'done').length,
		lastPause,
		lastResume: afterPause.findLast(({ endpoint }) => endpoint === 'resumeJob'),
		userResume: requests[resumed],
		wasPausedByNode: pausedBefore?.caller !== undefined,
	};
}

/** Whether the job runs on after the execution has ended, and all its pauses too. */
function isLeftRunning({ job, status, requests }: JobHistory, since: number): boolean {
	const { answeredAt = 0 } = requests[0] ?? {};
	const settledAt = Math.max(since, answeredAt) + PAUSED_WITHIN_MS;
	// While a user has the browser, the agent does nothing.
	const isIdle = status === 'paused' || status === TAKEN_OVER;
	return !isIdle && (job.endedAt ?? Infinity) > settledAt;
}

/** Whether the node returns a job as finished when a user has taken it over. */
function returnsTakenOver({ options }: Scenario): boolean {
	const { returnInsteadOfFailing: returned = [], waitWhileTakenOver } = options;
	return waitWhileTakenOver !== true && (returned as string[]).includes('takeover');
}

function isPausing({ scenario: { options }, stoppedAt }: ModelExecution): boolean {
	const { pauseJob } = options;
	return pauseJob === 'onEarlyEnd' || (pauseJob === 'onStop' && stoppedAt !== undefined);
}

/** What the node has put out, but not the node before it. */
function outputOf({ data: { resultData } }: IRun): Output {
	const tasks = Object.entries(resultData.runData).flatMap(([name, ofNode]) =>
		name === INPUT_NAME ? [] : ofNode,
	);
	const items = tasks.flatMap(({ data }) => Object.values(data ?? {}).flat(2));
	return {
		errors: tasks.flatMap(({ error }) => error ?? []),
		items: items.filter((item) => item !== null),
	};
}
