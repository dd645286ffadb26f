import { violationsOf } from '../openApiDocument';
import type { RealClock } from '../sandbox/types';
import type { CheckName } from './checks';
import type { Findings } from './Findings';
import type { OwnJobs } from './OwnJobs';
import type { Answer, ServiceClient } from './ServiceClient';
import type { LiveSettings } from './settings';

/** What each part of the kit works with. */
export interface Visit {
	settings: LiveSettings;
	client: ServiceClient;
	findings: Findings;
	jobs: OwnJobs;
	clock: RealClock;
	signal: AbortSignal;
	say(line: string): void;
}

/** Enters whether an answer has this status and, by the document, this body. */
export function noteAnswer(
	{ client, findings }: Visit,
	name: CheckName,
	answer: Answer,
	expected: { status: number; method: string; path: string },
): void {
	const { status, method, path } = expected;
	const body = answer.json ?? answer.text;
	const [violation] = answer.status === status ? violationsOf(body, status, path, method) : [];
	const seen = client.describe(answer);
	const what = violation === undefined ? seen : `${seen}: ${client.show(violation)}`;
	findings.note(name, answer.status === status && violation === undefined, what);
}

/** Enters whether an answer has this status, whatever its body. */
export function noteStatus(
	{ client, findings }: Visit,
	name: CheckName,
	answer: Answer,
	status: number,
): void {
	findings.note(name, answer.status === status, client.describe(answer));
}
