/**
 * The table of failed calls: what each kind means, and what the user reads. All of it is in
 * serviceErrorKinds.golden.json, so that a change shows in the diff. After a change that is meant:
 *
 *     UPDATE_GOLDEN=1 npx jest serviceErrorKinds && npx oxfmt test/nodes/errors
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { CallSubject } from '../../../nodes/errors/toNodeFailure';
import {
	ServiceError,
	type FailureFacts,
	type ServiceErrorKind,
} from '../../../nodes/errors/ServiceError';
import { SERVICE_ERROR_KINDS } from '../../../nodes/errors/serviceErrorKinds';
import { toNodeFailure } from '../../../nodes/errors/toNodeFailure';

const GOLDEN_FILE = join(__dirname, 'serviceErrorKinds.golden.json');

type Facts = Omit<FailureFacts, 'kind'>;

const MOVED = { target: 'https://new.example.com/v1/a', baseUrl: 'https://new.example.com' };

/** What is usually known of a call that has failed like this. */
const FACTS: Record<ServiceErrorKind, Facts> = {
	unauthorized: { statusCode: 401, detail: 'Not so' },
	forbidden: { statusCode: 403, detail: 'Not so' },
	insufficientCredits: { statusCode: 402, detail: 'Not so' },
	notFound: { statusCode: 404, detail: 'Not so', asked: 'GET /v1/a at api.example.com' },
	rateLimited: { statusCode: 429, detail: 'Not so', retryAfterMs: 12_000 },
	rejected: { statusCode: 409, detail: 'Not so' },
	redirect: { statusCode: 301, redirect: MOVED },
	serverError: { statusCode: 503, detail: 'Not so' },
	unreadable: { statusCode: 200, detail: 'no status' },
	tooLarge: { detail: 'it is larger than 5 MB' },
	unreachable: { detail: 'connect ECONNREFUSED 10.0.0.9:443', code: 'ECONNREFUSED' },
	notSent: { detail: "'API Key' is empty" },
	queueTimeout: {},
	timeout: {},
	connectionLost: { detail: 'socket hang up (ECONNRESET)', code: 'ECONNRESET' },
	aborted: {},
	tooSlow: { detail: 'nothing arrived for a minute' },
	invalidLink: { detail: 'it has no link' },
};

const PAGE: Facts = { detail: 'a web page', isPage: true, isFromService: false };

const SUBJECTS: Record<string, CallSubject> = {
	'no job': {},
	'a job': { jobId: 'job_7' },
	'the start of an agent': { action: 'start', suggestsCheaperModel: true },
	'the start of a workflow': { action: 'start', label: 'Workflow wf_1' },
	'a pause': { action: 'pause', jobId: 'job_7' },
	'a resume': { action: 'resume', jobId: 'job_7' },
	'a file': { jobId: 'job_7', filename: 'a.pdf' },
};

const EXAMPLES = Object.entries(FACTS).map(([kind, facts]) => ({
	kind: kind as ServiceErrorKind,
	...facts,
}));

/** What users read: message and description, each text once, by the calls that it is for. */
function textsOf(facts: FailureFacts): Record<string, [string, string]> {
	const calls = Object.entries(SUBJECTS).map(([name, subject]) => ({ name, facts, subject }));
	if (facts.statusCode !== undefined) {
		calls.push({ name: 'a web page', facts: { ...facts, ...PAGE }, subject: {} });
		calls.push({ name: 'a gateway', facts: { ...facts, isFromService: false }, subject: {} });
	}
	const names = new Map<string, string>();
	for (const { name, facts: ofCall, subject } of calls) {
		const { message, details } = toNodeFailure(new ServiceError(ofCall), subject);
		const text = JSON.stringify([message, details.description]);
		names.set(text, [names.get(text), name].filter((one) => one !== undefined).join(', '));
	}
	return Object.fromEntries(
		[...names].map(([text, name]) => [name, JSON.parse(text) as [string, string]]),
	);
}

function deriveTable(): unknown {
	const rows = EXAMPLES.map((facts) => {
		const { kind } = facts;
		const error = new ServiceError(facts);
		const { statuses, nature } = SERVICE_ERROR_KINDS[kind];
		const { failure, isStopped } = toNodeFailure(error).details;
		const row = {
			statuses,
			nature,
			provesNothingWasDone: error.provesNothingWasDone,
			failure,
			isStopped: isStopped === true ? true : undefined,
			texts: textsOf(facts),
		};
		return [kind, row] as const;
	});
	return JSON.parse(JSON.stringify(Object.fromEntries(rows))) as unknown;
}

describe('The table of failed calls', () => {
	it('is the one in serviceErrorKinds.golden.json', () => {
		const derived = deriveTable();

		if (process.env.UPDATE_GOLDEN === '1') writeFileSync(GOLDEN_FILE, JSON.stringify(derived));

		expect(derived).toEqual(JSON.parse(readFileSync(GOLDEN_FILE, 'utf8')));
	});

	const texts = EXAMPLES.flatMap((facts) =>
		Object.values(textsOf(facts)).map(([message, description]) => ({
			...facts,
			message,
			description,
		})),
	);

	it.each(texts)('says in up to three sentences what to do: $message', (text) => {
		const advice = text.description.replace(/ (?:Response|Asked for): .*$/, '');

		expect(text.message).toMatch(/[^.]$/);
		expect(advice).toMatch(/^[A-Z].*\.$/);
		expect(advice.split(/\. (?=[A-Z])/).length).toBeLessThanOrEqual(3);
	});
});
