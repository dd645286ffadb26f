import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { JobBrowser } from '../../../local-service/browser/JobBrowser';
import { readSettings } from '../../../local-service/settings';
import { type Engine, type Service, startService } from '../../../local-service/startService';
import { LoopMeter } from '../LoopMeter';
import { call } from './call';
import { send, type StrangeReply, type StrangeRequest, strangeRequests, TOKENS } from './requests';

/** What only those may read who have the key, or the secret of this job's history. */
const OUTPUT = 'output-0f-the-ended-job';
const CONTENT = 'content-0f-the-file';
const REPLY_LIMIT_MS = 10_000;
const MAX_BLOCKED_MS = 1_000;

/** What the requests of a run have shown. */
export interface RequestTotals {
	requests: number;
	started: number;
	maxBlockedMs: number;
	/** How often each status came; 0 is a connection that was closed without one. */
	statuses: Record<string, number>;
}

/** The service that strangers call, without Chromium. */
class Victim {
	private constructor(
		readonly service: Service,
		readonly lines: string[],
		private readonly tokens: Record<string, string>,
	) {}

	static async start(): Promise<Victim> {
		const settings = readSettings({
			MODELS: 'local/fuzzed',
			MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
			SERVICE_DATA: mkdtempSync(path.join(tmpdir(), 'fuzz-')),
			SERVICE_MAX_JOBS: '100000',
		});
		const lines: string[] = [];
		const service = await startService(
			{ ...settings, port: 0 },
			{ engine: createEngine(), rateLimits: 'off', writeLog: (line) => lines.push(line) },
		);
		const ended = await call(service, '/v1/run_browser_agent', { directive: 'End' });
		const live = await call(service, '/v1/run_browser_agent', { directive: 'Think' });
		const [endedJob, liveJob] = [ended, live].map(({ job_id: id }) =>
			service.jobs.find(String(id)),
		);
		await endedJob!.released;
		const { files } = await call(service, `/v1/get_job_files/${endedJob!.id}`);
		const [file] = files as { download_url: string }[];
		return new Victim(service, lines, {
			[TOKENS.key]: service.apiKey,
			[TOKENS.host]: new URL(service.url).host,
			[TOKENS.live]: liveJob!.id,
			[TOKENS.liveSecret]: liveJob!.record.liveSecret,
			[TOKENS.otherSecret]: liveJob!.record.historySecret,
			[TOKENS.ended]: endedJob!.id,
			[TOKENS.endedSecret]: endedJob!.record.historySecret,
			[TOKENS.file]: new URL(file!.download_url).pathname,
		});
	}

	get port(): number {
		return Number(new URL(this.service.url).port);
	}

	fill(text: string): string {
		return Object.entries(this.tokens).reduce(
			(filled, [token, value]) => filled.replaceAll(token, () => value),
			text,
		);
	}

	async close(): Promise<void> {
		await this.service.close();
		rmSync(this.service.dataFolder, { recursive: true, force: true });
	}
}

/** Jobs end at once with a file, or think for ever. */
function createEngine(): Engine {
	const files = new Map<unknown, string>();
	return {
		checkChromium: async () => {},
		async openBrowser({ downloadFolder }) {
			const browser = {
				downloads: [],
				gone: new AbortController().signal,
				onNotice: () => () => {},
				screenshot: async () => Buffer.from('jpeg'),
				input: async () => {},
				finishDownloads: async () => {},
				close: async () => {},
			} as unknown as JobBrowser;
			files.set(browser, downloadFolder);
			return browser;
		},
		createModel: ({ label }) => ({ label, converse: () => ({}) as never }),
		async runAgent({ browser, directive, record, signal }) {
			record({
				number: 1,
				at: new Date().toISOString(),
				tool: 'click',
				action: 'Clicked <b>markup</b>',
				address: 'https://shop.example/"><script>',
				notices: ['</script>'],
				screenshot: Buffer.from('jpeg'),
				ms: 1,
				model: 'local/fuzzed',
			});
			if (directive !== 'End') {
				return await new Promise((_resolve, reject) => {
					signal.addEventListener('abort', () => reject(signal.reason as Error));
				});
			}
			const file = path.join(files.get(browser)!, 'stored');
			writeFileSync(file, CONTENT);
			const facts = { filename: 'a "file".csv', path: file, size: CONTENT.length };
			(browser.downloads as object[]).push({ ...facts, contentType: 'text/csv' });
			return OUTPUT;
		},
		mapPayload: async () => ({}),
	};
}

/** Sends so many random requests of strangers, and throws with the smallest that breaks a promise. */
export async function fuzzRequests(options: {
	cases: number;
	seed: number;
	path?: string;
}): Promise<RequestTotals> {
	const totals: RequestTotals = { requests: 0, started: 0, maxBlockedMs: 0, statuses: {} };
	const unhandled: unknown[] = [];
	const onUnhandled = (reason: unknown) => void unhandled.push(reason);
	process.on('unhandledRejection', onUnhandled);
	const victim = await Victim.start();
	try {
		const property = fc.asyncProperty(strangeRequests, async (request) => {
			const before = victim.service.jobs.newestFirst()[0]?.id;
			victim.lines.length = 0;
			const meter = new LoopMeter();
			const reply = await send(request, (text) => victim.fill(text), {
				port: victim.port,
				limitMs: REPLY_LIMIT_MS,
			});
			const blockedMs = meter.stop();
			const hasStarted = victim.service.jobs.newestFirst()[0]?.id !== before;

			totals.requests++;
			totals.started += hasStarted ? 1 : 0;
			totals.maxBlockedMs = Math.max(totals.maxBlockedMs, blockedMs);
			totals.statuses[reply.status] = (totals.statuses[reply.status] ?? 0) + 1;
			const found = [
				...violations(victim, request, reply),
				...(hasStarted && !hasKey(request) ? ['a job was started without the key'] : []),
				...(blockedMs > MAX_BLOCKED_MS ? [`blocked for ${Math.round(blockedMs)} ms`] : []),
				...victim.lines.filter((line) => line.includes('internal error')),
				...unhandled.splice(0).map((reason) => `unhandled: ${String(reason)}`),
			];
			if (found.length > 0) throw new Error(found.join('\n'));
		});
		const { cases, ...more } = options;
		const result = await fc.check(property, { numRuns: cases, ...more });
		if (result.failed) {
			const { errorInstance, counterexample, counterexamplePath: where } = result;
			const [request] = counterexample ?? [];
			throw new Error(
				`${String(errorInstance)}\nRepeat: npm run fuzz:service -- --seed ${options.seed} --path ${where}\n` +
					JSON.stringify({ ...request, body: String(request?.body).slice(0, 500) }),
			);
		}
		const health = await fetch(`${victim.service.url}/v1/health`);
		if (health.status !== 200) throw new Error(`The service is not well: ${health.status}`);
		return totals;
	} finally {
		process.off('unhandledRejection', onUnhandled);
		await victim.close();
	}
}

/** The promises that a reply breaks. */
function violations(victim: Victim, request: StrangeRequest, reply: StrangeReply): string[] {
	const sent = victim.fill(
		[request.target, ...request.headers.map((one) => one.join(': '))].join('\n'),
	);
	const isForeign = request.headers.some(
		([name, value]) =>
			(name === 'Host' && value !== TOKENS.host) ||
			(name === 'Origin' && value.trim() !== '' && !value.includes(TOKENS.host)),
	);
	const { endedSecret, liveSecret, otherSecret, file, key } = TOKENS;
	const shows = (text: string) => reply.text.includes(victim.fill(text));
	const knows = (token: string) => sent.includes(victim.fill(token));
	const hasHistory = knows(key) || knows(endedSecret);
	return [
		...(reply.isTooLate && !request.isCutOff ? ['no reply within 10 s'] : []),
		...(reply.status >= 500 && reply.status !== 501 ? [`status ${reply.status}`] : []),
		...(isForeign && reply.status > 0 && reply.status < 400
			? ['a foreign request was served']
			: []),
		...(shows(key) ? ['the key was shown'] : []),
		...(shows(liveSecret) && !knows(key) && !knows(liveSecret) ? ["another's live secret"] : []),
		...(shows(otherSecret) && !knows(key) && !knows(otherSecret) && !knows(liveSecret)
			? ["another's history secret"]
			: []),
		...(shows(OUTPUT) && !hasHistory ? ["another's output"] : []),
		...(shows(CONTENT) && !knows(file) ? ["another's file"] : []),
	];
}

function hasKey({ headers }: StrangeRequest): boolean {
	return headers.some(([name, value]) => name === 'Authorization' && value.includes(TOKENS.key));
}
