import { outputText, type ModelExecution, type Scenario } from './LedgerSystem';
import type { ModelJob, ModelService, StartSent } from './ModelService';

const SAYS_UNCLEAR = /may be running|unclear|may have been started|not answered yet/i;

/** Checks what must hold once everything that belongs to an execution has come to its end. */
export function checkExecution(execution: ModelExecution, service: ModelService): void {
	const starts = service.starts.filter(({ caller }) => caller === execution);
	const jobs = service.jobs.filter(({ caller }) => caller === execution);
	const named = jobs.filter(({ namedAt }) => namedAt !== undefined);
	const waitedFor = execution.given.filter(({ polls }) => polls > 0);
	expect(repeatedStarts(execution, starts)).toEqual([]);
	expect(lostIds(execution, named)).toEqual([]);
	expect(unsaidStarts(execution, starts)).toEqual([]);
	expect(startedUnseen(execution, starts)).toEqual([]);
	expect(leftBelowFloor(execution, [...named, ...waitedFor], service)).toEqual([]);
	expect(leftRunning(execution, [...named, ...waitedFor], service)).toEqual([]);
	expect(wronglyPaused(execution, [...jobs, ...execution.given], service)).toEqual([]);
	expect(missingItems(execution)).toBe(false);
}

/** Starts beyond those that each item may have, and those that follow an unclear one. */
function repeatedStarts({ scenario }: ModelExecution, starts: StartSent[]): string[] {
	const isTool = scenario.form.startsWith('tool');
	return [...new Set(scenario.tasks)].flatMap((task) => {
		const ofTask = starts.filter((start) => start.task === task);
		const paid = ofTask.filter(({ outcome }) => outcome !== 'nothing');
		const items = scenario.tasks.filter((one) => one === task).length;
		const firstUnclear = ofTask.findIndex(({ outcome }) => outcome === 'unclear');
		const later = firstUnclear === -1 ? [] : ofTask.slice(firstUnclear + 1);
		const isRepeated = later.length > 0 && (!isTool || !scenario.areAtOnce);
		return paid.length > items * maxAttempts(scenario) || isRepeated
			? [`${task}: ${ofTask.map(({ outcome }) => outcome).join(', ')}`]
			: [];
	});
}

function maxAttempts({ form, waits, maxAttempts: max }: Scenario): number {
	return form === 'jobs' || !waits ? 1 : max;
}

/** Starts of an item that were sent before the job of the start before was shown as failed. */
function startedUnseen({ scenario }: ModelExecution, starts: StartSent[]): string[] {
	const isOnlyOne = (task: string) => scenario.tasks.filter((one) => one === task).length === 1;
	return scenario.tasks.filter(isOnlyOne).flatMap((task) => {
		const started = starts.filter(({ task: of, outcome }) => of === task && outcome === 'started');
		return started.slice(1).flatMap(({ at }, index) => {
			const before = started[index]?.job;
			const isSeen = before?.shownFailedAt !== undefined && before.shownFailedAt <= at;
			return isSeen ? [] : [`${task}: a start before ${before?.jobId} was shown as failed`];
		});
	});
}

/** Jobs that still run although the node has ended for lack of credits. */
function leftBelowFloor(
	{ scenario, run, stoppedAt }: ModelExecution,
	jobs: ModelJob[],
	service: ModelService,
): string[] {
	const message = run?.data.resultData.error?.message ?? '';
	const isLow = message.includes("fewer than 'Stop Below Credits'");
	if (!isLow || stoppedAt !== undefined || scenario.form.startsWith('tool')) return [];
	return jobs.flatMap((job) =>
		service.update(job).status === 'running' && !job.resumedByUser && job.failedPauses === 0
			? [`${job.jobId} is running below the floor`]
			: [],
	);
}

/** IDs that the node has received from the service, but that the user can't find. */
function lostIds(execution: ModelExecution, jobs: ModelJob[]): string[] {
	const { run, stoppedAt, endedAt = Infinity, owner, scenario } = execution;
	const output = run === undefined ? '' : outputText(run);
	const highlighted = Object.values(run?.data.resultData.metadata ?? {}).join();
	const isTool = scenario.form.startsWith('tool');
	return jobs.flatMap(({ jobId, namedAt = 0 }) => {
		const isLogged = owner.log.some(({ line }) => line.includes(`started job ${jobId}`));
		const isInTime = run !== undefined && namedAt <= endedAt;
		const places: Array<[string, boolean]> = [
			['log', isLogged],
			['highlighted data', !isInTime || namedAt === endedAt || highlighted.includes(jobId)],
			// n8n drops what a stopped tool has answered.
			[
				'output or error',
				!isInTime ||
					(isTool && stoppedAt !== undefined) ||
					namedAt === endedAt ||
					output.includes(jobId),
			],
		];
		return places.flatMap(([place, isThere]) => (isThere ? [] : [`${jobId} is not in ${place}`]));
	});
}

/** Unclear starts that nothing reports to the user. */
function unsaidStarts({ run, stoppedAt, owner }: ModelExecution, starts: StartSent[]): string[] {
	const unclear = starts.filter(({ outcome }) => outcome === 'unclear');
	if (run === undefined || unclear.length === 0) return [];
	const text = stoppedAt === undefined ? outputText(run) : owner.log.map(({ line }) => line).join();
	return SAYS_UNCLEAR.test(text) ? [] : unclear.map(({ task }) => `${task}: its unclear start`);
}

/** Jobs that a stopped execution leaves running although they could be paused. */
function leftRunning(
	{ scenario, stoppedAt, owner, answers }: ModelExecution,
	jobs: ModelJob[],
	service: ModelService,
): string[] {
	const { form, onStop, waits, pauseWhenAbandoned } = scenario;
	const isPausing =
		form === 'jobs' ? pauseWhenAbandoned : onStop === 'pause' || (waits && pauseWhenAbandoned);
	if (stoppedAt === undefined || owner.isDead || !isPausing) return [];
	return jobs.flatMap((job) => {
		if (service.update(job).status !== 'running') return [];
		const { resumedByUser } = job;
		if (resumedByUser?.wasPausedByNode === true) return [];
		if (resumedByUser !== undefined && resumedByUser.at >= stoppedAt) return [];
		// A call of a tool has ended with its answer, whatever becomes of the next one.
		const isAnswered = answers.some((answer) => answer.includes(job.jobId));
		if (form.startsWith('tool') && isAnswered) return [];
		const isSaid = owner.log.some(
			({ at, line }) => at >= stoppedAt && line.includes(`could not pause job ${job.jobId}`),
		);
		return isSaid && job.failedPauses > 0 ? [] : [`${job.jobId} is running`];
	});
}

/** Jobs that the node was not asked to pause. */
function wronglyPaused(
	{ scenario, stoppedAt }: ModelExecution,
	jobs: ModelJob[],
	{ lowestBalance }: ModelService,
): string[] {
	const { form, waits, onStop, pauseWhenAbandoned, stopBelowCredits = 0 } = scenario;
	const isWanted =
		lowestBalance < stopBelowCredits ||
		((waits || form === 'jobs') && pauseWhenAbandoned) ||
		(form !== 'jobs' && stoppedAt !== undefined && onStop === 'pause');
	return isWanted
		? []
		: jobs.filter(({ pauseRequests }) => pauseRequests > 0).map(({ jobId }) => jobId);
}

/** A run that has succeeded has one item for each of its own. */
function missingItems({ run, scenario, stoppedAt }: ModelExecution): boolean {
	if (run?.status !== 'success' || stoppedAt !== undefined) return false;
	if (scenario.form.startsWith('tool')) return false;
	const outputs = run.data.resultData.runData['Browser Agent']?.at(-1)?.data?.main ?? [];
	const count = outputs.reduce((sum, output) => sum + (output?.length ?? 0), 0);
	return count !== scenario.tasks.length;
}
