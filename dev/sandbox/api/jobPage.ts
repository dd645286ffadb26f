import type { LoggedJob } from './toLoggedJob';

/** The content security policy of the pages: they load and run nothing, and can't be framed. */
export const JOB_PAGE_POLICY =
	"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'";

const REFRESH_SECONDS = 2;
const MAX_DIRECTIVE_CHARACTERS = 200;

const STYLE = `
	:root { color-scheme: light dark; --line: #8886; --accent: light-dark(#d9480f, #ff8a5c); }
	body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
	h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin: 2rem 0 0.5rem; }
	.status { padding: 0.15rem 0.7rem; border: 1px solid var(--accent); border-radius: 1rem; color: var(--accent); }
	progress { width: 100%; height: 1rem; accent-color: var(--accent); }
	button { font: inherit; padding: 0.4rem 1rem; margin-right: 0.5rem; }
	pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem; border: 1px solid var(--line); border-radius: 0.5rem; margin: 0; }
	footer { margin-top: 2rem; opacity: 0.7; font-size: 0.85rem; }
`;

/**
 * Returns the HTML page of a job: its status, steps and directive, its result, and what a user can
 * do.
 */
export function jobPage(
	{ job_id, status, isFinished, steps, stepsDone, creditsUsed, directive }: LoggedJob,
	{ output, error }: { output: unknown; error: string | null },
): string {
	const body = `
<h1>Browser agent <span class="status">${escape(status)}</span></h1>
<progress max="${steps}" value="${stepsDone}"></progress>
<p>${stepsDone} of ${steps} steps done, ${creditsUsed} credits used</p>
<form method="post">
${button('pause', 'Pause', status === 'running')}
${button('resume', 'Resume', !isFinished && ['paused', 'user_taken_over'].includes(status))}
${button('takeOver', 'Take over', ['running', 'paused'].includes(status))}
</form>
${section('Directive', directive)}
${section('Output', output)}
${section('Error', error)}
<footer>${job_id}. The sandbox only simulates an agent: there is no browser to watch.</footer>
`;
	return page({ title: `${escape(status)}: ${job_id}`, body, refreshes: !isFinished });
}

/** Returns the HTML page of all jobs, the newest first, with a link to the page of each. */
export function jobsPage(jobs: LoggedJob[]): string {
	const rows = jobs.toReversed().map(
		({ job_id, status, creditsUsed, directive }) => `
<h2><a href="jobs/${job_id}/history">${job_id}</a> <span class="status">${escape(status)}</span></h2>
<p>${creditsUsed} credits used: ${escape(directive.slice(0, MAX_DIRECTIVE_CHARACTERS))}</p>`,
	);
	const body = `<h1>Jobs of the sandbox</h1>${rows.join('') || '<p>There are none so far.</p>'}`;
	return page({ title: 'Jobs of the sandbox', body, refreshes: true });
}

function page({ title, body, refreshes }: { title: string; body: string; refreshes: boolean }) {
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${refreshes ? `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">` : ''}
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

function button(action: string, label: string, isEnabled: boolean): string {
	return `<button formaction="${action}"${isEnabled ? '' : ' disabled'}>${label}</button>`;
}

function section(title: string, content: unknown): string {
	if (content === null) return '';
	const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
	return `<h2>${title}</h2>\n<pre>${escape(text)}</pre>`;
}

function escape(text: string): string {
	return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
