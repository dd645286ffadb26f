import type { Job } from '../jobs/Job';
import type { JobStatus } from '../jobs/JobRecord';
import { problemsOf } from './historyPage';
import { html } from './html';
import { pageShell } from './pageShell';
import { STATUS_WORDS } from './statusWords';

/** What the script of the live view shows; it asks for it each second. */
export interface LiveState {
	status: JobStatus;
	/** The status in words. */
	words: string;
	/** Which buttons can be used now, by their names in the page. */
	actions: Record<LiveAction, boolean>;
	/** The newest steps, oldest first. */
	steps: Array<{
		number: number;
		action: string;
		address: string;
		note?: string;
		/** What went wrong or was refused. */
		problems: string[];
	}>;
}

/** What a person can do to a job. */
export type LiveAction = 'take-over' | 'hand-back' | 'pause' | 'resume';

/** Carries out what a person does. Returns false if the job's status does not allow it. */
export const LIVE_ACTIONS: Record<LiveAction, (job: Job) => boolean> = {
	'take-over': (job) => job.takeOver(),
	'hand-back': (job) => job.handBack(),
	pause: (job) => job.pause(),
	// A job that is taken over is handed back instead.
	resume: (job) => job.status === 'paused' && job.resume(),
};

/** Returns what the live view shows of a job that has not ended. */
export function toLiveState(job: Job): LiveState {
	const { status } = job;
	return {
		status,
		words: STATUS_WORDS[status],
		actions: {
			'take-over': job.canBeTakenOver,
			'hand-back': status === 'user_taken_over',
			pause: status === 'provisioning' || status === 'running',
			resume: status === 'paused',
		},
		steps: job.lastSteps.map(({ number, action, address, note, error, notices }) => ({
			number,
			action,
			address,
			note,
			problems: problemsOf({ error, notices }),
		})),
	};
}

/** Returns the page on which a person watches a job, and takes its browser over. */
export function livePage(job: Job): string {
	const { id, historySecret } = job.record;
	const body = html`
		<header>
			<h1>Live view</h1>
			<p id="status" role="status"></p>
			<div id="actions">
				<button type="button" value="take-over" disabled>Take over</button>
				<button type="button" value="hand-back" disabled>Hand back</button>
				<button type="button" value="pause" disabled>Pause</button>
				<button type="button" value="resume" disabled>Resume</button>
			</div>
			<p id="problem" role="alert"></p>
		</header>
		<main>
			<div id="frame">
				<canvas id="picture" role="img" aria-label="The page in the job's browser"></canvas>
				<textarea
					id="keys"
					aria-label="Keyboard of the job's browser"
					autocapitalize="off"
					autocomplete="off"
					spellcheck="false"
					disabled
				></textarea>
			</div>
			<p id="hint" hidden>
				Click, scroll, type and paste in the picture. Shift+Escape leaves it for the buttons.
			</p>
			<noscript><p>The live view needs JavaScript. The history works without it.</p></noscript>
			<section id="ending" aria-live="polite" hidden></section>
			<h2>Last steps</h2>
			<ol id="steps"></ol>
			<p><a id="history" href="../../history/${id}/${historySecret}">History of the job</a></p>
		</main>
	`;
	return pageShell(
		`Live view of ${id}`,
		body,
		html`<script src="../../pages/live.js" defer></script>`,
	);
}
