import type { JobRecord } from '../jobs/JobRecord';
import type { RecordedStep } from '../jobs/JobStore';
import { type Html, html } from './html';
import { pageShell } from './pageShell';
import { STATUS_WORDS } from './statusWords';

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
			${summary(record)} ${outcome(record)}
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
		['Started', time(record.createdAt)],
		['Ended', record.endedAt === undefined ? undefined : time(record.endedAt)],
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
		${files.map(({ filename, sizeBytes }) => html`<li>${filename} (${sizeBytes} bytes)</li>`)}
	</ul>`;
}

function outcome({ status, output, error }: JobRecord): Html | undefined {
	if (status === 'failed') {
		return html`<h2>Error</h2>
			<p class="problem">${error}</p>`;
	}
	if (status !== 'completed') return undefined;

	const text = typeof output === 'string' ? output : JSON.stringify(output, undefined, '  ');
	const shown = text.slice(0, MAX_OUTPUT_CHARACTERS);
	const rest = text.length - shown.length;
	return html`<h2>Output</h2>
		<pre>${shown}</pre>
		${rest > 0 ? html`<p>${rest} more characters are not shown.</p>` : undefined}`;
}

function stepEntry(step: RecordedStep, { id, historySecret }: JobRecord): Html {
	const { number, action, address, note, error, notices, ms } = step;
	const problems = error === undefined ? notices : [error, ...notices];
	const picture = `${historySecret}/steps/${number}`;
	return html`<li value="${number}" id="step-${number}">
		<p class="action">${action}</p>
		<p><code>${address}</code></p>
		${note === undefined ? undefined : html`<p class="note">${note}</p>`}
		${problems.map((problem) => html`<p class="problem">${problem}</p>`)}
		<p class="facts">${time(Date.parse(step.at))}, ${(ms / 1000).toFixed(1)} s${tokens(step)}</p>
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

function time(ms: number): Html | string {
	if (!Number.isFinite(ms)) return '';
	const iso = new Date(ms).toISOString();
	return html`<time datetime="${iso}">${iso.replace('T', ' ').replace(/\..*/, ' UTC')}</time>`;
}
