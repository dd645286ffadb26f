import { violationsOf } from '../openApiDocument';
import type { Account } from './checkRequests';
import { type OwnJob, toFields, toJobPath, violationsOfStart } from './OwnJobs';
import type { Answer } from './ServiceClient';
import { noteAnswer, noteStatus, type Visit } from './Visit';

const AGENT = '/v1/run_browser_agent';
const WORKFLOW = '/workflows/run-with-payload/{workflow_id}';
const FILES = '/v1/get_job_files/{job_id}';

/** Of a job. The kit waits a little longer for it. */
export const MAX_DURATION_MINUTES = 3;
const JOB_LIMIT_MS = (MAX_DURATION_MINUTES + 1) * 60_000;
const PAUSE_MS = 40_000;
/** Of a browser. */
const START_LIMIT_MS = 2 * 60_000;
/** How long a pause or a resume may take to be seen. */
const CHANGE_LIMIT_MS = 30_000;
const MAXIMUM_MS = 60_000;
/** Polls see the begin and the end of a job late. */
const TOLERANCE_MS = 6_000;
/** After which a job that does not end at its maximum is seen not to. */
const NO_MAXIMUM_MS = MAXIMUM_MS + 60_000;
const DEFAULT_PRICE = 5;

const WITH_FILE = ['filesAtEnd', 'lifetime', 'otherOrigin', 'noKeyForFiles'] as const;
const WITH_PAUSE = [
	'pause',
	'paused',
	'secondPause',
	'resume',
	'resumed',
	'secondResume',
	'maxDuration',
	'pausesDoNotCount',
] as const;

/** Runs at most five short jobs, one after the other. */
export async function checkJobs(visit: Visit, account: Account): Promise<void> {
	const read = await readPage(visit, account);
	await download(visit);
	const waited = await pauseAndResume(visit);
	noteCharges(visit, [read, waited]);
	await tryUnknownModel(visit, read);
	if (visit.settings.workflowId !== undefined) await runWorkflow(visit, read);
}

async function startAgent(visit: Visit, purpose: string, body: object, minutes: number) {
	const browser_config = { max_duration_minutes: minutes };
	return await visit.jobs.start(purpose, AGENT, { browser_config, ...body });
}

const readTask = ({ settings }: Visit) => ({
	directive: 'Answer with the main heading of the page, and nothing else.',
	initial_url: settings.pageUrl,
});

/** A job on the page with the default model. */
async function readPage(visit: Visit, { credits }: Account): Promise<OwnJob | undefined> {
	const { client, findings, jobs, settings } = visit;
	const started = await startAgent(visit, 'reads a page', readTask(visit), MAX_DURATION_MINUTES);
	const { answer, job } = started;
	noteStart(visit, started);
	if (credits === 0 && answer) noteStatus(visit, 'noCredits', answer, 402);
	if (!answer || !job) return undefined;

	const { polling_url: link } = toFields(answer.json);
	const polling = typeof link === 'string' && URL.canParse(link) ? new URL(link) : undefined;
	if (polling?.href.startsWith(`${settings.baseUrl}/`)) {
		const polled = await client.call('GET', polling.href.slice(settings.baseUrl.length));
		const isJob = polled.status === 200 && 'status' in toFields(polled.json);
		findings.note('pollingUrl', isJob, client.describe(polled));
	} else {
		// The key goes to no other address.
		findings.noteUnseen('pollingUrl', 'it does not begin with BASE_URL');
	}

	const last = await jobs.wait(job, JOB_LIMIT_MS);
	const { output = null, error = null } = last?.body ?? {};
	if (last?.status === 'completed') {
		const seen = output === null ? 'none' : typeof output;
		findings.note('output', output !== null, seen);
	} else {
		const why = typeof error === 'string' ? `: ${client.show(error)}` : '';
		findings.noteUnseen('output', `the job was ${client.show(last?.status ?? 'not polled')}${why}`);
	}
	if (!job.isOpen) {
		for (const operation of ['pause_job', 'resume_job']) {
			noteStatus(visit, 'ended', await client.call('POST', toJobPath(operation, job)), 400);
		}
	}
	return job;
}

function noteStart(
	{ client, findings }: Visit,
	{ answer, reason }: { answer?: Answer; reason: string },
): void {
	if (!answer) return findings.noteUnseen('start', reason);
	const { status } = toFields(answer.json);
	if (answer.status >= 400) {
		// By an account's state, which the document has codes for, no start can be seen.
		if ([402, 429].includes(answer.status)) findings.noteUnseen('start', reason);
		else findings.note('start', false, reason);
		return;
	}
	const [violation] = violationsOfStart(answer);
	const seen = violation === undefined ? reason : `${reason}: ${client.show(violation)}`;
	findings.note('start', answer.status === 200 && violation === undefined, seen);
	findings.note('startRunning', status === 'running', client.show(String(status)));
}

/** A job that downloads a file, which it lists at its end. */
async function download(visit: Visit): Promise<void> {
	const { client, findings, jobs, settings } = visit;
	const { job, reason } = await startAgent(
		visit,
		'downloads a PDF',
		{
			directive: `Open ${settings.fileUrl}: it is a PDF, which is downloaded. Then answer 'done'.`,
			initial_url: settings.pageUrl,
		},
		MAX_DURATION_MINUTES,
	);
	if (!job) {
		for (const name of WITH_FILE) findings.noteUnseen(name, reason);
		return;
	}

	let looks = 0;
	const list = async () => {
		const answer = await client.call('GET', toJobPath('get_job_files', job));
		noteAnswer(visit, 'files', answer, { status: 200, method: 'get', path: FILES });
		const { files } = toFields(answer.json);
		return Array.isArray(files) ? files.map(toFields) : [];
	};
	let early = 0;
	await jobs.wait(
		job,
		JOB_LIMIT_MS,
		() => false,
		async () => {
			looks++;
			early = Math.max(early, (await list()).length);
		},
	);
	const files = job.isOpen ? [] : await list();
	const [file] = files;
	if (early > 0) findings.note('filesAtEnd', false, `${early} listed while it ran`);
	else if (looks > 0 && file) {
		findings.note('filesAtEnd', true, `${files.length} at the end, none in ${looks} looks before`);
	} else findings.noteUnseen('filesAtEnd', 'the job was too short');

	if (!file) {
		for (const name of WITH_FILE) findings.noteUnseen(name, 'no file was listed');
		return;
	}
	const { expires_in: expiresIn, download_url: link } = file;
	findings.note('lifetime', expiresIn === 3600, client.show(String(expiresIn)));
	const url = typeof link === 'string' && URL.canParse(link) ? new URL(link) : undefined;
	if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
		findings.note('otherOrigin', false, 'the link is no web address');
		return;
	}
	findings.note(
		'otherOrigin',
		url.origin !== new URL(settings.baseUrl).origin,
		client.show(url.origin),
	);
	const opened = await client.open(url.href);
	const isOpened = opened.status >= 200 && opened.status < 400;
	findings.note('noKeyForFiles', isOpened, String(opened.failure ?? opened.status));
}

/** A job that is paused and resumed, and then runs until its maximum duration of a minute. */
async function pauseAndResume(visit: Visit): Promise<OwnJob | undefined> {
	const { client, clock, findings, jobs, signal, settings } = visit;
	const { job, reason } = await startAgent(
		visit,
		'waits, is paused and resumed',
		{
			directive:
				'Wait on this page: 3 seconds, then 4, then 5, and so on, each time a second longer. Never ' +
				'end this task by yourself: it is a test of its maximum duration.',
			initial_url: settings.pageUrl,
		},
		1,
	);
	const call = async (operation: string) =>
		await client.call('POST', toJobPath(operation, job ?? { id: '' }));
	const unseen = (why: string) => {
		for (const name of WITH_PAUSE) findings.noteUnseen(name, why);
	};
	if (!job) {
		unseen(reason);
		return undefined;
	}
	const running = await jobs.wait(job, START_LIMIT_MS, ({ status }) => status === 'running');
	if (running?.status !== 'running') {
		unseen(`the job was never running, but ${client.show(running?.status ?? 'not polled')}`);
		return job;
	}
	const began = running.atMs;

	const pause = await call('pause_job');
	noteAnswer(visit, 'pause', pause, {
		status: 200,
		method: 'post',
		path: '/v1/pause_job/{job_id}',
	});
	const paused = await jobs.wait(job, CHANGE_LIMIT_MS, ({ status }) => status === 'paused');
	const seen = client.show(paused?.status ?? '');
	if (!job.isOpen) findings.noteUnseen('paused', `the job had ended: ${seen}`);
	else findings.note('paused', paused?.status === 'paused', seen);
	if (paused?.status !== 'paused') return job;
	const pausedAt = paused.atMs;
	noteStatus(visit, 'secondPause', await call('pause_job'), 400);
	await clock.sleep(PAUSE_MS, signal);
	const still = await jobs.poll(job);
	if (still?.status !== 'paused') return job;

	const resume = await call('resume_job');
	noteAnswer(visit, 'resume', resume, {
		status: 200,
		method: 'post',
		path: '/v1/resume_job/{job_id}',
	});
	const resumed = await jobs.wait(job, CHANGE_LIMIT_MS, ({ status }) => status !== 'paused');
	if (!resumed || resumed.status === 'paused') {
		findings.note('resumed', false, 'still paused after 30 s');
		return job;
	}
	const resumedAt = resumed.atMs;
	if (job.isOpen) {
		findings.note('resumed', resumed.status === 'running', client.show(resumed.status));
		noteStatus(visit, 'secondResume', await call('resume_job'), 400);
	}

	const last = await jobs.wait(job, NO_MAXIMUM_MS);
	const endedAt = last?.atMs ?? 0;
	noteMaximum(visit, job, {
		ranMs: endedAt - began - (resumedAt - pausedAt),
		tookMs: endedAt - began,
	});
	return job;
}

/** Enters whether the job has failed by its maximum duration: it ran, and took with its pause. */
function noteMaximum(
	{ client, findings }: Visit,
	job: OwnJob,
	{ ranMs, tookMs }: { ranMs: number; tookMs: number },
): void {
	const { status = '', body = {} } = job.polls.at(-1) ?? {};
	const why = typeof body.error === 'string' ? `: ${body.error}` : '';
	const ran = `${client.show(`${status}${why}`)}, after ${Math.round(ranMs / 1000)} s`;
	const seen = `${ran} and the pause`;
	if (job.isOpen) findings.note('maxDuration', false, seen);
	else if (status === 'failed' && ranMs > MAXIMUM_MS - PAUSE_MS / 2) {
		findings.note('maxDuration', true, seen);
		findings.note('pausesDoNotCount', true, seen);
	} else if (status === 'failed' && Math.abs(tookMs - MAXIMUM_MS) < TOLERANCE_MS) {
		findings.note('maxDuration', true, seen);
		findings.note('pausesDoNotCount', false, seen);
	} else {
		// For another reason, such as its model's.
		for (const name of ['maxDuration', 'pausesDoNotCount'] as const) {
			findings.noteUnseen(name, seen);
		}
	}
}

/** Enters the price of a step, and when it is charged. */
function noteCharges({ findings }: Visit, jobs: (OwnJob | undefined)[]): void {
	const reason = 'no job shows `credits_used`';
	const charges = jobs.map(toCharges).filter((values) => values.length > 0);
	const all = charges.flat().filter((value) => value > 0);
	if (all.length === 0) {
		for (const name of ['price', 'charged'] as const) findings.noteUnseen(name, reason);
		return;
	}
	const isMultiple = all.every((value) => value % DEFAULT_PRICE === 0);
	findings.note('price', isMultiple, `charged ${toList(all)}`);

	const grown = charges.find((values) => new Set(values).size > 2);
	const atOnce = charges.find((values) => values.length > 3 && Number(values[0]) > 0);
	if (grown) findings.note('charged', true, `grew: ${toList(grown)}`);
	else if (atOnce && new Set(atOnce).size === 1) {
		findings.note('charged', false, `all at the start: ${toList(atOnce)}`);
	} else if (charges.some((values) => values.length > 10)) {
		findings.note('charged', false, `all at the end: ${toList(charges.flat())}`);
	} else findings.noteUnseen('charged', `too few steps: ${toList(charges.flat())}`);
}

/** A job with a model that the document does not have. */
async function tryUnknownModel(visit: Visit, read: OwnJob | undefined): Promise<void> {
	const { findings, jobs } = visit;
	const { answer, job, reason } = await startAgent(
		visit,
		'reads the page with an unknown model',
		{ ...readTask(visit), action_selection_model: 'unknown/model-of-a-test' },
		MAX_DURATION_MINUTES,
	);
	if (!answer || [402, 429].includes(answer.status)) {
		for (const name of ['unknownModel', 'unknownPrice'] as const) findings.noteUnseen(name, reason);
		return;
	}
	if (!job) {
		findings.note('unknownModel', false, reason);
		findings.noteUnseen('unknownPrice', 'it was refused');
		return;
	}
	const last = await jobs.wait(job, JOB_LIMIT_MS);
	findings.note('unknownModel', last?.status !== 'failed', `the job was ${last?.status}`);
	comparePrices(visit, 'unknownPrice', read, job);
}

/** The saved workflow of the settings: first without its payload, if it has one. */
async function runWorkflow(visit: Visit, read: OwnJob | undefined): Promise<void> {
	const { client, findings, jobs } = visit;
	const { workflowId = '', workflowPayload: payload } = visit.settings;
	const path = `/workflows/run-with-payload/${encodeURIComponent(workflowId)}`;
	if (payload !== undefined) {
		const without = await jobs.start('by a workflow without its payload', path, {});
		if (without.answer) noteStatus(visit, 'missingInput', without.answer, 400);
		else findings.noteUnseen('missingInput', without.reason);
	}
	const { answer, job, reason } = await jobs.start(
		'runs the saved workflow',
		path,
		payload === undefined ? {} : { payload },
	);
	if (!answer) {
		findings.noteUnseen('workflow', reason);
		return;
	}
	const [violation] = violationsOf(answer.json, answer.status, WORKFLOW, 'post');
	const seen = violation === undefined ? reason : `${reason}: ${client.show(violation)}`;
	findings.note('workflow', answer.status === 200 && violation === undefined, seen);
	if (!job) return;
	await jobs.wait(job, JOB_LIMIT_MS);
	comparePrices(visit, 'workflowPrice', read, job);
}

function comparePrices(
	{ findings }: Visit,
	name: 'unknownPrice' | 'workflowPrice',
	read: OwnJob | undefined,
	job: OwnJob,
): void {
	const known = toCharges(read).filter((value) => value > 0);
	const charged = toCharges(job).filter((value) => value > 0);
	if (known.length === 0 || charged.length === 0) {
		findings.noteUnseen(name, 'no job shows `credits_used`');
		return;
	}
	const seen = `charged ${toList(charged)}, the default ${toList(known)}`;
	const isSame = divisorOf(known) === divisorOf(charged);
	const isSure = new Set(known).size > 1 && new Set(charged).size > 1;
	if (isSame || isSure) findings.note(name, isSame, seen);
	else findings.noteUnseen(name, `too few steps: ${seen}`);
}

/** `credits_used` of each poll that has it, in this order. */
function toCharges(job: OwnJob | undefined): number[] {
	const values = job?.polls.map(({ body }) => body.credits_used) ?? [];
	return values.filter((value) => typeof value === 'number');
}

function toList(values: number[]): string {
	return [...new Set(values)].slice(0, 8).join(', ');
}

function divisorOf(values: number[]): number {
	const divisor = (one: number, other: number): number =>
		other === 0 ? one : divisor(other, one % other);
	return values.reduce(divisor, 0);
}
