import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { folderBytes } from '../../local-service/jobs/retention';
import { runCommandLine, say } from '../commandLine';
import { ServiceProcess } from './ServiceProcess';
import { type Kind, KINDS, Web } from './Web';

const PLACES = 3;
const CREDITS = 100_000;
const MAX_GB = 0.04;
const DOWNLOAD_LIMIT_MB = 1;
const ROUND_MS = 300;
/** A week takes half an hour, and an hour eleven seconds. */
const TIME_SCALE = 336;
const MAX_MEMORY_GROWTH = 1.3;
/** Jobs after which a service's memory counts as that of its start. */
const WARM_UP_JOBS = 8;
/** Between two collections of garbage, memory swings by a tenth. */
const LAST_SAMPLES = 10;
const END_LIMIT_MS = 240_000;
const DAY_MS = 24 * 60 * 60_000;
const MAX_AGE_MS = 7 * DAY_MS;
/** After the last start: kept browsers end after six hours at most. */
const QUIET_MS = DAY_MS / 2;
/** Jobs that are too old are removed each hour. */
const TIDY_MS = 2 * 60 * 60_000;

/** What people do with jobs. */
const DEEDS = [
	'nothing',
	'nothing',
	'pause',
	'pause and resume',
	'take over',
	'hand back',
	'kill',
] as const;
const ENDS = ['a restart', 'a kill', 'a restart'] as const;

interface WeekJob {
	id: string;
	kind: Kind;
	deed: (typeof DEEDS)[number] | 'done';
	status: string;
	credits: number;
	error: string;
	/** In the time of the service, in ms. */
	endedAt?: number;
}

/** Random numbers from 0 to 1 that a seed determines (mulberry32). */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A week in which nobody looks after the service. */
class Week {
	readonly jobs: WeekJob[] = [];
	readonly problems: string[] = [];
	readonly figures: string[] = [];
	private readonly began = Date.now();
	private readonly web = new Web();
	private readonly folder = mkdtempSync(path.join(tmpdir(), 'week-'));
	private readonly pick: <T>(list: readonly T[]) => T;
	private service!: ServiceProcess;
	private client!: { url: string; apiKey: string };
	/** Of the service's memory in this run, in MB: one each round. */
	private samples: number[] = [];
	private warm = 0;
	private startedInRun = 0;

	constructor(seed: number) {
		const random = createRandom(seed);
		this.pick = (list) => list[Math.floor(random() * list.length)]!;
	}

	/** Starts `count` jobs, spread over `days`. Half a day later, the service is asked about each. */
	async run(count: number, days: number): Promise<void> {
		await this.web.listen();
		await this.startService();
		try {
			const perRun = Math.ceil(count / (ENDS.length + 1));
			const span = (days * DAY_MS) / count;
			for (const end of [...ENDS, undefined]) {
				const until = Math.min(count, this.jobs.length + perRun);
				while (this.jobs.length < until) await this.round(this.time() >= this.jobs.length * span);
				if (end !== undefined) await this.restart(end);
			}
			const deadline = Date.now() + END_LIMIT_MS;
			while (this.running().length > 0 && Date.now() < deadline) await this.round(false);
			while (this.time() < days * DAY_MS + QUIET_MS) await sleep(ROUND_MS);
			await this.settle();
			await this.check();
			this.noteMemory();
			this.service.kill('SIGTERM');
			await this.service.ended();
			this.checkLeftovers();
		} finally {
			this.service.kill('SIGKILL');
			this.web.close();
			rmSync(this.folder, { recursive: true, force: true });
		}
	}

	/** Since the service was first started, in its own ms. */
	private time(): number {
		return (Date.now() - this.began) * TIME_SCALE;
	}

	private running(): WeekJob[] {
		return this.jobs.filter(({ status }) => status !== 'completed' && status !== 'failed');
	}

	/** Starts a job if there is a place, looks at all, and does something with one. */
	private async round(mayStart: boolean): Promise<void> {
		if (mayStart) await this.startJob();
		for (const job of this.running()) await this.look(job);
		const job = this.running().find(({ status, deed }) => status === 'running' && deed !== 'done');
		if (job) await this.act(job);
		this.samples.push(this.memoryMb());
		if (this.startedInRun === WARM_UP_JOBS && this.warm === 0) {
			this.warm = Math.max(...this.samples);
		}
		await sleep(ROUND_MS);
	}

	private async startJob(): Promise<void> {
		const kind = this.pick(KINDS);
		const answer = await this.call('/v1/run_browser_agent', {
			directive: `${kind} ${this.jobs.length}`,
			initial_url: `http://${this.web.host}/`,
			browser_config: {
				max_duration_minutes: kind === 'think' || kind === 'hang' ? 60 : 240,
				idle_timeout_minutes: this.pick([5, 10]),
				keep_browser_open: this.pick([true, false, false]),
				use_user_browser_profile: this.pick([true, false, false]),
			},
		});
		// All places, or the profile, may be taken.
		if (answer.status === 429) return;
		if (answer.status !== 200) this.problems.push(`a start was answered with ${answer.status}`);
		const id = String(answer.json.job_id);
		const deed = this.pick(DEEDS);
		this.jobs.push({ id, kind, deed, status: 'running', credits: 0, error: '' });
		this.startedInRun++;
	}

	private async look(job: WeekJob): Promise<Record<string, unknown>> {
		const { status, json } = await this.call(`/v1/get_job_status/${job.id}`);
		if (status !== 200) {
			this.problems.push(`${job.id} (${job.status}) was answered with ${status}`);
			job.status = 'failed';
			return {};
		}
		job.status = String(json.status);
		job.credits = Number(json.credits_used);
		job.error = String(json.error ?? '');
		if (job.status === 'completed' || job.status === 'failed') job.endedAt = this.time();
		return json;
	}

	private async act(job: WeekJob): Promise<void> {
		const { deed } = job;
		job.deed = 'done';
		const { live_url: live } = await this.look(job);
		if (typeof live !== 'string') return;
		const { pathname } = new URL(live);
		if (deed.startsWith('pause')) await this.call(`/v1/pause_job/${job.id}`, {});
		if (deed === 'pause and resume') await this.call(`/v1/resume_job/${job.id}`, {});
		if (deed === 'take over' || deed === 'hand back') await this.call(`${pathname}/take-over`, {});
		if (deed === 'hand back') await this.call(`${pathname}/hand-back`, {});
		if (deed === 'kill') this.killBrowser();
	}

	private killBrowser(): void {
		const [browser] = this.browsers();
		if (browser !== undefined) process.kill(browser, 'SIGKILL');
	}

	private async restart(end: (typeof ENDS)[number]): Promise<void> {
		this.noteMemory();
		const [before] = this.running();
		this.service.kill(end === 'a kill' ? 'SIGKILL' : 'SIGTERM');
		await this.service.ended();
		for (let tries = 0; this.browsers().length > 0; tries++) {
			if (tries === 100) {
				this.problems.push(`${this.browsers().length} browsers are left after ${end}`);
				break;
			}
			await sleep(100);
		}
		await this.startService();
		for (const job of this.running()) await this.look(job);
		if (before && this.running().length > 0) this.problems.push(`jobs are running after ${end}`);
	}

	private async startService(): Promise<void> {
		const isRoot = process.getuid?.() === 0;
		this.service = new ServiceProcess(
			{
				MODELS: 'local/week',
				MODEL_BASE_URL: `http://${this.web.host}/v1`,
				MODEL_TIMEOUT_MINUTES: '1',
				SERVICE_PORT: '0',
				SERVICE_DATA: this.folder,
				SERVICE_CREDITS: String(CREDITS),
				SERVICE_MAX_JOBS: String(PLACES),
				SERVICE_MAX_GB: String(MAX_GB),
				AGENT_ALLOWED_HOSTS: this.web.host,
				AGENT_MAX_DOWNLOAD_MB: String(DOWNLOAD_LIMIT_MB),
				CHROMIUM_SANDBOX: isRoot ? 'off' : 'on',
				TIME_SCALE: String(TIME_SCALE),
				TIME_BEGAN: String(this.began),
			},
			'dev/localService/scaledService.ts',
		);
		this.client = await this.service.started();
		this.samples = [];
		this.warm = 0;
		this.startedInRun = 0;
	}

	/** Kept browsers end a while after their job. */
	private async settle(): Promise<void> {
		const deadline = Date.now() + END_LIMIT_MS;
		while (this.browsers().length > 0 && Date.now() < deadline) await sleep(ROUND_MS);
		if (this.browsers().length > 0)
			this.problems.push(`${this.browsers().length} browsers are left`);
	}

	private async check(): Promise<void> {
		for (const { id, status, kind } of this.running()) {
			this.problems.push(`${id} (${kind}) is still ${status}`);
		}
		const used = this.jobs.reduce((sum, { credits }) => sum + credits, 0);
		const { json } = await this.call('/v1/get_credit_balance');
		const taken = CREDITS - Number(json.credit_balance ?? json.balance ?? Number.NaN);
		this.figures.push(
			`Credits: ${taken} taken, ${used} used by jobs, ${this.web.answers} answers of the model`,
		);
		if (taken !== used) this.problems.push(`${taken} credits were taken, and jobs used ${used}`);
		if (taken > this.web.answers) this.problems.push('more credits were taken than answers came');
		await this.checkAges();
		const mb = (await folderBytes(this.folder)) / 2 ** 20;
		this.figures.push(`Folder: ${mb.toFixed(1)} MB, with a limit of ${MAX_GB * 1024}`);
		if (mb > MAX_GB * 1024) this.problems.push('the folder is too large');
	}

	/**
	 * Jobs of more than seven days must be gone. Of younger ones, only those may be for which the
	 * folder was too large.
	 */
	private async checkAges(): Promise<void> {
		const now = this.time();
		const removed = { 'older than seven days': 0, younger: 0 };
		for (const { id, endedAt = now } of this.jobs) {
			const { status } = await this.call(`/v1/get_job_status/${id}`);
			const isOld = now - endedAt > MAX_AGE_MS;
			if (status === 404) removed[isOld ? 'older than seven days' : 'younger']++;
			else if (now - endedAt > MAX_AGE_MS + TIDY_MS) this.problems.push(`${id} was not removed`);
		}
		this.figures.push(`Jobs that were removed: ${JSON.stringify(removed)}`);
		this.figures.push(`Folders of jobs: ${readdirSync(path.join(this.folder, 'jobs')).length}`);
	}

	private checkLeftovers(): void {
		const tmp = readdirSync(path.join(this.folder, 'tmp'));
		const locks = readdirSync(this.folder).filter((name) => name.startsWith('lock-'));
		const left = { processes: this.browsers().length, temporary: tmp.length, locks: locks.length };
		this.figures.push(`Left at the end: ${JSON.stringify(left)}`);
		if (left.processes + left.temporary + left.locks > 0) this.problems.push('something is left');
	}

	private noteMemory(): void {
		const now = Math.min(...this.samples.slice(-LAST_SAMPLES));
		const files = readdirSync(`/proc/${this.service.processId}/fd`).length;
		this.figures.push(
			`Memory of the service: ${this.warm} MB after ${WARM_UP_JOBS} jobs, ${now} MB after ` +
				`${this.startedInRun}; ${files} open files`,
		);
		if (this.warm > 0 && now > this.warm * MAX_MEMORY_GROWTH) this.problems.push('memory grew');
	}

	private memoryMb(): number {
		const status = readFileSync(`/proc/${this.service.processId}/status`, 'utf8');
		return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
	}

	/** Main processes of Chromium. */
	private browsers(): number[] {
		return readdirSync('/proc')
			.filter((name) => /^\d+$/.test(name))
			.filter((id) => {
				try {
					const line = readFileSync(`/proc/${id}/cmdline`, 'utf8');
					return line.includes(`--user-data-dir=${this.folder}`) && !line.includes('--type=');
				} catch {
					return false;
				}
			})
			.map(Number);
	}

	private async call(target: string, body?: object) {
		const { url, apiKey } = this.client;
		const response = await fetch(`${url}${target}`, {
			method: body ? 'POST' : 'GET',
			headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
			body: body && JSON.stringify(body),
		});
		const json = (await response.json().catch(() => ({}))) as Record<string, unknown>;
		return { status: response.status, json };
	}
}

/**
 * `npm run week -- [--jobs 300] [--days 7] [--seed 1]`: an unattended week of the local service,
 * with a real Chromium. Prints a table, and returns whether all promises were kept.
 */
async function main(args: string[]): Promise<boolean> {
	const { values } = parseArgs({
		args,
		options: {
			jobs: { type: 'string', default: '300' },
			days: { type: 'string', default: '7' },
			seed: { type: 'string', default: '1' },
		},
	});
	const began = Date.now();
	const week = new Week(Number(values.seed));
	await week.run(Number(values.jobs), Number(values.days));

	say(`| Job | Completed | Failed | Credits |\n| --- | --- | --- | --- |`);
	for (const kind of KINDS) {
		const jobs = week.jobs.filter((job) => job.kind === kind);
		const count = (status: string) => jobs.filter((job) => job.status === status).length;
		const credits = jobs.reduce((sum, job) => sum + job.credits, 0);
		say(`| ${kind} | ${count('completed')} | ${count('failed')} | ${credits} |`);
	}
	say('');
	const reasons = new Map<string, number>();
	for (const { error } of week.jobs) {
		const reason = error.split(': ')[0] ?? '';
		if (reason !== '') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
	}
	for (const [reason, count] of reasons) say(`${count} × ${reason}`);
	for (const line of week.figures) say(line);
	const seconds = (Date.now() - began) / 1000;
	const days = ((seconds * TIME_SCALE) / 86_400).toFixed(1);
	say(
		`${week.jobs.length} jobs in ${Math.round(seconds)} s, which were ${days} days for the service`,
	);
	for (const problem of week.problems) say(`Problem: ${problem}`);
	return week.problems.length === 0;
}

runCommandLine(main);
