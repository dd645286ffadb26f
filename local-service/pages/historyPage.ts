import type { JobRecord, RecordedFile } from '../jobs/JobRecord';
import type { RecordedStep } from '../jobs/JobStore';
import { type Html, html } from './html';
import { pageShell } from './pageShell';
import { STATUS_WORDS } from './statusWords';
import { timeOf } from './timeOf';

const REFRESH_SECONDS = 5;
/** Of an output, so that a browser shows the page at once. */
const MAX_OUTPUT_CHARACTERS = 50_000;

/**
 * Returns the page that lists what a job has done. It has no script; until the job has ended, it is
 * loaded again each few seconds.
 */
export function historyPage(record: JobRecord, steps: RecordedStep[]): string {
	const isOver = record.endedAt !== undefined;
	const body = html`
		<header>
			<h1>History</h1>
			<p role="status">${STATUS_WORDS[record.status]}</p>
		</header>
		<main>
			${summary(record)} ${outcome(record)} ${problemList(steps)}
			<h2>Steps</h2>
			${steps.length === 0 ? html`<p>There are no steps yet.</p>` : undefined}
			<ol class="history">
				${steps.map((step) => stepEntry(step, record))}
			</ol>
		</main>
	`;
	const refresh = html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}" />`;
	return pageShell(`History of ${record.id}`, body, isOver ? undefined : refresh);
}

function summary(record: JobRecord): Html {
	const { model, requestedModel, workflowId, files, inputTokens, outputTokens } = record;
	const rows: Array<[string, unknown]> = [
		['Job', record.id],
		['Directive', record.directive],
		['Initial URL', record.initialUrl],
		['Workflow', workflowId],
		[
			'Model',
			requestedModel === undefined ? model : `${model}, which stands for ${requestedModel}`,
		],
		['Started', timeOf(record.createdAt)],
		['Ended', record.endedAt === undefined ? undefined : timeOf(record.endedAt)],
		['Credits used', record.creditsUsed],
		['Tokens', `${inputTokens} in, ${outputTokens} out`],
		['Files', files.length === 0 ? undefined : fileList(record)],
	];
	return html`<dl>
		${rows
			.filter(([, value]) => value !== undefined)
			.map(
				([name, value]) =>
					html`<dt>${name}</dt>
						<dd>${value}</dd>`,
			)}
	</dl>`;
}

function fileList({ files }: JobRecord): Html {
	return html`<ul>
		${files.map((file) => html`<li>${fileLine(file)}</li>`)}
	</ul>`;
}

function fileLine({ filename, sizeBytes }: RecordedFile): string {
	return `${filename} (${sizeBytes} bytes)`;
}

/** How a job has ended, for a live view that was open then. */
export interface Ending {
	words: string;
	/** Of a job that has failed. */
	error?: string;
	/** Of a job that has completed, up to a limit, which `rest` says in characters. */
	output?: string;
	rest: number;
	files: string[];
}

/** Returns how a job has ended, or nothing while it has not. */
export function endingOf({ status, output, error, files }: JobRecord): Ending | undefined {
	if (status !== 'completed' && status !== 'failed') return undefined;
	const text = typeof output === 'string' ? output : JSON.stringify(output, undefined, '  ');
	const shown = text.slice(0, MAX_OUTPUT_CHARACTERS);
	return {
		words: STATUS_WORDS[status],
		error,
		output: status === 'completed' ? shown : undefined,
		rest: text.length - shown.length,
		files: files.map(fileLine),
	};
}

function outcome(record: JobRecord): Html | undefined {
	const { error, output, rest = 0 } = endingOf(record) ?? {};
	if (error !== undefined) {
		return html`<h2>Error</h2>
			<p class="problem">${error}</p>`;
	}
	if (output === undefined) return undefined;
	return html`<h2>Output</h2>
		<pre>${output}</pre>
		${rest > 0 ? html`<p>${rest} more characters are not shown.</p>` : undefined}`;
}

/** The steps in which something went wrong or was refused, each with a link to it. */
function problemList(steps: RecordedStep[]): Html | undefined {
	const problems = steps.flatMap((step) => problemsOf(step).map((problem) => ({ step, problem })));
	if (problems.length === 0) return undefined;
	return html`<h2>What went wrong or was refused</h2>
		<ul>
			${problems.map(
				({ step: { number }, problem }) =>
					html`<li><a href="#step-${number}">Step ${number}</a>: ${problem}</li>`,
			)}
		</ul>`;
}

/** What went wrong in a step or was refused. A notice of a download says what went well. */
export function problemsOf({ error, notices }: Pick<RecordedStep, 'error' | 'notices'>): string[] {
	const refused = notices.filter((notice) => !notice.startsWith('Downloaded '));
	return error === undefined ? refused : [error, ...refused];
}

function stepEntry(step: RecordedStep, { id, historySecret }: JobRecord): Html {
	const { number, action, address, note, notices, ms } = step;
	const problems = problemsOf(step);
	const others = notices.filter((notice) => !problems.includes(notice));
	const picture = `${historySecret}/steps/${number}`;
	return html`<li value="${number}" id="step-${number}">
		<p class="action">${action}</p>
		<p><code>${address}</code></p>
		${note === undefined ? undefined : html`<p class="note">${note}</p>`}
		${problems.map((problem) => html`<p class="problem">${problem}</p>`)}
		${others.map((notice) => html`<p>${notice}</p>`)}
		<p class="facts">${timeOf(Date.parse(step.at))}, ${(ms / 1000).toFixed(1)} s${tokens(step)}</p>
		${
			step.hasScreenshot
				? html`<img loading="lazy" src="${picture}" alt="The page after step ${number} of ${id}" />`
				: undefined
		}
	</li>`;
}

function tokens({ inputTokens, outputTokens }: RecordedStep): string {
	if (inputTokens === undefined && outputTokens === undefined) return '';
	return `, ${inputTokens ?? '?'} tokens in, ${outputTokens ?? '?'} out`;
}
