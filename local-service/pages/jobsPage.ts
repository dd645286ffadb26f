import type { JobRecord } from '../jobs/JobRecord';
import { type Html, html } from './html';
import { pageShell } from './pageShell';
import { STATUS_WORDS } from './statusWords';
import { timeOf } from './timeOf';

const REFRESH_SECONDS = 5;
const MAX_JOBS = 200;
/** Of a directive. */
const MAX_CHARACTERS = 200;

/**
 * Returns the page that lists jobs, the newest first, with links to their own pages. It has no
 * script. Unless it lists `all` of them, it reloads every few seconds. `creditsLeft` is unset if
 * they are unlimited.
 */
export function jobsPage(
	newestFirst: JobRecord[],
	creditsLeft: number | undefined,
	all: boolean,
): string {
	const shown = all ? newestFirst : newestFirst.slice(0, MAX_JOBS);
	const rest = newestFirst.length - shown.length;
	const body = html`
		<header>
			<h1>Jobs</h1>
			<p>Credits left: ${creditsLeft ?? 'unlimited'}</p>
		</header>
		<main>
			${shown.length === 0 ? html`<p>There are no jobs yet.</p>` : table(shown)}
			${rest > 0 ? html`<p><a href="?all">Show ${rest} older jobs, too</a></p>` : undefined}
		</main>
	`;
	const refresh = html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}" />`;
	return pageShell('Jobs', body, all ? undefined : refresh);
}

function table(records: JobRecord[]): Html {
	return html`<table>
		<thead>
			<tr>
				${['Started', 'Job', 'Directive', 'Status', 'Credits', 'Pages'].map(
					(name) => html`<th scope="col">${name}</th>`,
				)}
			</tr>
		</thead>
		<tbody>
			${records.map(row)}
		</tbody>
	</table>`;
}

function row(record: JobRecord): Html {
	const { id, directive, status, error, endedAt, liveSecret, historySecret } = record;
	const isCut = directive.length > MAX_CHARACTERS;
	return html`<tr>
		<td>${timeOf(record.createdAt)}</td>
		<td><code>${id}</code></td>
		<td>${directive.slice(0, MAX_CHARACTERS)}${isCut ? '…' : ''}</td>
		<td>
			${STATUS_WORDS[status]}
			${error === undefined ? undefined : html`<span class="problem">${error}</span>`}
		</td>
		<td>${record.creditsUsed}</td>
		<td>
			${
				endedAt === undefined
					? html`<a href="live/${id}/${liveSecret}" aria-label="Live view of ${id}">Live view</a>`
					: undefined
			}
			<a href="history/${id}/${historySecret}" aria-label="History of ${id}">History</a>
		</td>
	</tr>`;
}
