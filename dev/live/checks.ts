/** Where the nodes know something from: the service's documentation, or one of 13 assumptions. */
type Basis = 'documented' | number;

/** What a row of the table is about. */
export interface Check {
	/** What is expected, as a sentence. */
	what: string;
	/** A number is the place in the list of docs/sandbox.md. */
	basis: Basis;
	/** Whether the sandbox and the local service answer with the same code, that in `api/`. */
	isShared?: boolean;
	/** Why the kit cannot see it, or what it takes. */
	notSeen?: string;
}

/** Everything that is checked, in the order of the table. */
export const CHECKS = {
	health: { what: '`/v1/health` needs no key', basis: 'documented', isShared: true },
	balance: {
		what: '`get_credit_balance` answers with plan and credits',
		basis: 'documented',
		isShared: true,
	},
	unauthorized: {
		what: 'A start without a key is answered with 401 and `detail`, `status_code`',
		basis: 'documented',
		isShared: true,
	},
	invalid: {
		what: 'A start without a directive is answered with 422 and a list in `detail`',
		basis: 'documented',
		isShared: true,
	},
	start: {
		what: '`run_browser_agent` answers with ID, status and links',
		basis: 'documented',
		isShared: true,
	},
	startRunning: { what: 'A start answers `running`', basis: 'documented', isShared: true },
	pollingUrl: { what: '`polling_url` shows the job', basis: 'documented', isShared: true },
	status: { what: '`get_job_status` answers with one of six statuses', basis: 'documented' },
	output: { what: 'A completed job has an output', basis: 'documented' },
	files: {
		what: '`get_job_files` answers with name, link and lifetime of each file',
		basis: 'documented',
		isShared: true,
	},
	paused: { what: '`pause_job` pauses a running job', basis: 'documented' },
	resume: {
		what: '`resume_job` answers with `status`, `message`, `data`',
		basis: 'documented',
		isShared: true,
	},
	workflow: {
		what: '`run-with-payload` answers with five IDs and `success`',
		basis: 'documented',
		isShared: true,
		notSeen: 'needs WORKFLOW_ID',
	},
	price: { what: "The default model's steps cost 5 credits each", basis: 'documented' },
	startLimit: { what: '10 starts per minute', basis: 'documented', isShared: true },
	pollLimit: { what: '60 polls per minute', basis: 'documented', isShared: true },
	balanceLimit: { what: '60 balances per minute', basis: 'documented', isShared: true },

	successes: { what: 'Every success is a 200', basis: 1, isShared: true },
	unknownJob: { what: 'An unknown job is answered with 404', basis: 1, isShared: true },
	unknownWorkflow: { what: 'An unknown workflow is answered with 404', basis: 1, isShared: true },
	wrongMethod: { what: 'A wrong method is answered with 405', basis: 1, isShared: true },
	wrongKey: { what: 'A wrong key is answered with 401 elsewhere, too', basis: 1, isShared: true },
	blank: { what: 'A blank directive is answered with 400', basis: 2, isShared: true },
	missingInput: {
		what: 'A payload without a required value is answered with 400',
		basis: 2,
		notSeen: 'needs WORKFLOW_ID and WORKFLOW_PAYLOAD',
	},
	secondPause: { what: 'Pausing a paused job is answered with 400', basis: 2, isShared: true },
	secondResume: { what: 'Resuming a running job is answered with 400', basis: 2, isShared: true },
	ended: { what: 'Pausing or resuming an ended job: 400', basis: 2, isShared: true },
	tooMany: {
		what: 'A 429 has `Retry-After` in seconds and no body',
		basis: 3,
		isShared: true,
		notSeen: 'there was no 429',
	},
	sharedLimit: { what: 'Starts of agents and workflows share a limit', basis: 4, isShared: true },
	unlimited: {
		what: 'Pauses, resumes and lists of files have no limit',
		basis: 4,
		isShared: true,
	},
	unknownModel: { what: 'An unknown model is accepted', basis: 5 },
	unknownPrice: { what: 'An unknown model costs as much as the default one', basis: 5 },
	workflowPrice: {
		what: 'A workflow costs as much as the default model',
		basis: 5,
		notSeen: 'needs WORKFLOW_ID',
	},
	charged: { what: 'Credits are charged after each step', basis: 6 },
	noCredits: {
		what: 'A start without credits is answered with 402',
		basis: 6,
		isShared: true,
		notSeen: 'needs an account without credits',
	},
	usedUp: {
		what: 'A running job fails when the credits are used up',
		basis: 6,
		notSeen: 'needs an account with few credits',
	},
	maxDuration: { what: 'A job that reaches its maximum duration fails', basis: 7 },
	pausesDoNotCount: { what: 'Pauses do not count for it', basis: 7 },
	noMaximum: {
		what: 'Workflows and own browsers have none',
		basis: 7,
		notSeen: 'would take hours',
	},
	pause: { what: '`pause_job` answers as `resume_job` does', basis: 8, isShared: true },
	resumed: { what: 'A resumed job is `running`', basis: 9 },
	resumeTakenOver: {
		what: 'A job that somebody has taken over can be resumed',
		basis: 9,
		notSeen: 'needs a person',
	},
	moreFields: {
		what: 'The status has ten more fields, each missing, `null` or of its type',
		basis: 10,
		isShared: true,
	},
	nullBefore: { what: '`output` and `error` are `null` before the end', basis: 11 },
	errorText: { what: '`error` is text or `null` at the end', basis: 11 },
	filesAtEnd: { what: 'Files are listed only once the job has finished', basis: 12 },
	lifetime: { what: '`expires_in` is 3600', basis: 12, isShared: true },
	otherOrigin: { what: 'Links to files lead to another origin', basis: 12 },
	noKeyForFiles: { what: 'Links to files need no key', basis: 12, isShared: true },
	healthAnswer: {
		what: '`GET /v1/health` answers `{"status": "ok"}`',
		basis: 13,
		isShared: true,
	},
} satisfies Record<string, Check>;

export type CheckName = keyof typeof CHECKS;
