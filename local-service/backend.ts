import { createReadStream, statSync } from 'node:fs';

import { Account } from '../api/Account';
import {
	type Backend,
	type Job as ApiJob,
	type JobFile,
	type JobLinks,
	type JobStart,
	Refusal,
	type Workflow,
} from '../api/backend';
import { FileLinks } from '../api/FileLinks';
import { RateLimiters, type RateLimits } from '../api/RateLimiters';
import type { OwnAddress } from '../api/rejectForeignRequests';
import { errorReply, type Reply } from '../api/reply';
import type { AgentModel } from './agent/model';
import type { AgentTask } from './agent/runAgent';
import { chooseModel } from './chooseModel';
import { isSameSecret } from './isSameSecret';
import type { Clock } from './jobs/clock';
import type { Credits } from './jobs/Credits';
import type { Job, JobTask } from './jobs/Job';
import type { JobRequest, Jobs } from './jobs/Jobs';
import type { JobRecord, RecordedFile } from './jobs/JobRecord';
import type { JobStore } from './jobs/JobStore';
import type { Log } from './log';
import type { ModelChoice, Settings } from './settings';
import {
	fillIn,
	readWorkflow,
	type SavedWorkflow,
	WorkflowError,
	type WorkflowInput,
} from './workflows';

/** A job with a browser or a workflow that the user owns: the document gives it no maximum. */
const MAX_DURATION_MINUTES = 240;

/** What the backend of a local service needs. */
export interface BackendParts {
	settings: Settings;
	apiKey: string;
	address: OwnAddress;
	rateLimits: RateLimits;
	clock: Clock;
	log: Log;
	credits: Credits;
	jobs: Jobs;
	store: JobStore;
	workflowsFolder: string;
	/** Origin of the pages for people. */
	pagesUrl(): string;
	createModel(choice: ModelChoice): AgentModel;
	runAgent(task: AgentTask): Promise<unknown>;
	mapPayload(
		model: AgentModel,
		inputs: WorkflowInput[],
		text: string,
		signal: AbortSignal,
	): Promise<Record<string, string>>;
}

/** The local service behind the API: one account, and jobs with real browsers. */
export class LocalBackend implements Backend {
	readonly address: OwnAddress;
	readonly rateLimiters: RateLimiters;
	readonly fileLinks = new FileLinks();

	private readonly account: Account;
	private readonly shown = new WeakMap<Job, ShownJob>();

	constructor(private readonly parts: BackendParts) {
		this.address = parts.address;
		this.rateLimiters = new RateLimiters(parts.rateLimits);
		const plan = parts.settings.credits === undefined ? 'enterprise' : 'pro';
		this.account = new Account({ key: parts.apiKey, plan, credits: null }, parts.clock.now());
	}

	now(): number {
		return this.parts.clock.now();
	}

	findAccount(key: string): Account | undefined {
		if (!isSameSecret(key, this.parts.apiKey)) return undefined;
		const { left, nextReset } = this.parts.credits;
		this.account.credits = left ?? null;
		this.account.nextReset = nextReset ?? null;
		return this.account;
	}

	findJob(id: string): ApiJob | undefined {
		const job = this.parts.jobs.find(id);
		return job && this.show(job);
	}

	findWorkflow(id: string): Workflow | undefined {
		const workflow = this.readWorkflow(id);
		return workflow && { toTask: () => ({ ...workflow, inputs: undefined }) };
	}

	startJob(start: JobStart): ApiJob {
		const request = this.toRequest(start);
		try {
			return this.show(this.parts.jobs.start(request));
		} catch (error) {
			if (error instanceof Refusal) this.parts.log.startRefused(error.message);
			throw error;
		}
	}

	private show(job: Job): ShownJob {
		const shown =
			this.shown.get(job) ?? new ShownJob(job, this.account, this.parts.store, this.parts.pagesUrl);
		this.shown.set(job, shown);
		return shown;
	}

	private toRequest(start: JobStart): JobRequest {
		const { kind, directive, initialUrl, ownBrowser, browserConfig, workflowId } = start;
		const { settings } = this.parts;
		checkAddress('initial_url', initialUrl, ['http:', 'https:']);
		checkAddress('cdp_url', ownBrowser?.cdpUrl, ['ws:', 'wss:', 'http:', 'https:']);
		// Most options are ignored for a browser of the user's own.
		const hasOptions = !ownBrowser;
		if (hasOptions && browserConfig.residentialIp !== false) {
			throw new Refusal(400, 'This service has no proxies: residential_ip must be false');
		}
		const { choice, requestedModel } = chooseModel(settings.models, start.model);
		const workflow = workflowId === undefined ? undefined : this.readWorkflow(workflowId);
		const isLimited = hasOptions && kind === 'agent';
		const { idleTimeoutMinutes } = browserConfig;

		return {
			kind,
			directive,
			initialUrl,
			workflowId,
			model: choice.label,
			requestedModel,
			ownBrowser,
			browser: {
				width: browserConfig.width,
				height: browserConfig.height,
				cdpUrl: ownBrowser?.cdpUrl,
				keepOpen: hasOptions && browserConfig.keepBrowserOpen,
				useProfile: hasOptions && browserConfig.useUserBrowserProfile,
				idleTimeoutMinutes,
			},
			limits: {
				maxDurationMinutes: isLimited ? browserConfig.maxDurationMinutes : MAX_DURATION_MINUTES,
				idleTimeoutMinutes,
			},
			work: async (task, job) => await this.work(task, job, { start, choice, workflow }),
		};
	}

	private async work(
		task: JobTask,
		job: Job,
		{ start, choice, workflow }: { start: JobStart; choice: ModelChoice; workflow?: SavedWorkflow },
	): Promise<unknown> {
		const { createModel, mapPayload, runAgent, settings } = this.parts;
		// Whoever has the key could give a browser that only claims to show a host.
		const secrets = start.ownBrowser ? [] : settings.secrets;
		const model = createModel(choice);
		let { directive } = start;
		if (workflow) {
			directive = await fillIn(
				workflow,
				start.payload ?? '',
				async (inputs, text) => await mapPayload(model, inputs, text, task.signal),
			);
			job.setDirective(directive);
		}
		const { initialUrl } = start;
		return await runAgent({ ...task, settings, secrets, model, directive, initialUrl });
	}

	private readWorkflow(id: string): SavedWorkflow | undefined {
		try {
			return readWorkflow(this.parts.workflowsFolder, id);
		} catch (error) {
			if (!(error instanceof WorkflowError)) throw error;
			this.parts.log.warning(error.message);
			throw new Refusal(400, error.message);
		}
	}
}

/** A job as the API shows it. */
class ShownJob implements ApiJob {
	constructor(
		private readonly job: Job,
		readonly account: Account,
		private readonly store: JobStore,
		private readonly pagesUrl: () => string,
	) {}

	get id(): string {
		return this.job.id;
	}

	get directive(): string {
		return this.job.record.directive;
	}

	get creditsUsed(): number {
		return this.job.record.creditsUsed;
	}

	get startedAt(): number {
		return this.job.record.createdAt;
	}

	get updatedAt(): number {
		return this.job.record.updatedAt;
	}

	status(): string {
		return this.job.status;
	}

	poll(): string {
		return this.job.status;
	}

	pause(): boolean {
		return this.job.pause();
	}

	resume(): boolean {
		return this.job.resume();
	}

	output(): unknown {
		return this.job.record.output ?? null;
	}

	error(): string | null {
		return this.job.record.error ?? null;
	}

	files(): JobFile[] {
		if (!this.job.hasEnded) return [];
		return this.job.record.files.map((file) => ({
			filename: file.filename,
			download: () => fileReply(file, this.store.filePath(this.id, file)),
		}));
	}

	links(): JobLinks {
		const { ownBrowser, cdpUrl, liveSecret, historySecret }: JobRecord = this.job.record;
		const url = this.pagesUrl();
		const livePage = this.job.hasEnded ? null : `${url}/live/${this.id}/${liveSecret}`;
		return {
			live_url: ownBrowser?.liveUrl ?? livePage,
			cdp_url: ownBrowser?.cdpUrl ?? cdpUrl ?? null,
			history_url: `${url}/history/${this.id}/${historySecret}`,
		};
	}
}

/** A file is never shown as a page of the service, whatever is in it. */
function fileReply({ filename, contentType }: RecordedFile, path: string): Reply {
	const size = statSync(path, { throwIfNoEntry: false })?.size;
	if (size === undefined) return errorReply(404, 'The file is no longer there');
	return {
		status: 200,
		headers: {
			'Content-Disposition': `attachment; filename*=UTF-8''${encodeRfc5987(filename)}`,
			'Content-Security-Policy': 'sandbox',
			'X-Content-Type-Options': 'nosniff',
			'Cache-Control': 'no-store',
			'Referrer-Policy': 'no-referrer',
		},
		content: { type: contentType, sizeBytes: size, chunks: () => createReadStream(path) },
	};
}

function encodeRfc5987(text: string): string {
	const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
	return encodeURIComponent(Buffer.from(text).toString()).replace(/['()*]/g, hex);
}

function checkAddress(name: string, address: string | undefined, protocols: string[]): void {
	if (address === undefined) return;
	if (URL.canParse(address) && protocols.includes(new URL(address).protocol)) return;
	const schemes = protocols.map((protocol) => protocol.replace(':', '')).join(', ');
	throw new Refusal(400, `${name} must be a whole address with one of these schemes: ${schemes}`);
}
