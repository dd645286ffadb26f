import type { INodeProperties } from 'n8n-workflow';

import { NodeFailure } from '../../errors/NodeFailure';
import type { CallSubject } from '../../errors/toNodeFailure';
import { toStartedItem } from '../../jobs/item';
import type { JobTask } from '../../jobs/JobTask';
import { jobLinks } from '../../jobs/links';
import { startOnce } from '../../jobs/startOnce';
import {
	type Fields,
	type Values,
	boolean,
	notInTools,
	shownWhen,
	wholeNumber,
	withProperties,
} from '../../parameters/field';
import { optionsField } from '../../parameters/options';
import { type OUTPUT_FORMAT_FIELDS, toOutputFormat } from '../../parameters/outputFormat';
import { simplifyField } from '../../parameters/simplify';
import {
	WAIT_OPTIONS,
	pausePolicyOption,
	toJobOptions,
	waitUntilFinishedField,
} from '../../parameters/waiting';
import type { StartRequest } from '../../service/types';
import type { Task } from '../Run';
import { runJob } from '../runJob';

/** The options of every operation that starts a job. */
export const START_OPTIONS = {
	maxAttempts: wholeNumber({
		displayName: 'Max Attempts',
		name: 'maxAttempts',
		type: 'number',
		default: 1,
		description:
			'Maximum number of jobs per item. When a job fails, a new one is started, which costs credits again.',
		builderHint: { propertyHint: "Can't be combined with suspendWhileWaiting." },
		displayOptions: { show: { '/waitUntilFinished': [true] } },
		bounds: { min: 1, max: 5 },
	}),
	minimumCredits: wholeNumber({
		displayName: 'Minimum Credits',
		name: 'minimumCredits',
		type: 'number',
		default: 0,
		description:
			'A job is started only if the account has at least this many credits. Running jobs continue.',
		bounds: { min: 0 },
	}),
	pauseJob: pausePolicyOption(
		'onStop',
		'When to pause the job, so that it uses no more credits. Unless resumed within 6 hours, the service marks it as failed.',
	),
	// The CDP URL is a secret that a language model must not see.
	returnCdpUrl: notInTools(
		boolean({
			displayName: 'Return CDP URL',
			name: 'returnCdpUrl',
			type: 'boolean',
			default: false,
			description:
				"Whether to return the address of the job's browser in cdp_url. Keep it secret: anyone who has it controls the browser.",
			builderHint: {
				propertyHint:
					'For the next task in the same browser: with browserConfig.keepBrowserOpen; the next node takes it as browserConfig.cdpUrl.',
			},
		}),
	),
};

/** Throws a `NodeFailure` for several attempts with a wait that should be suspended. */
export function requireSingleAttempt(maxAttempts: number, suspends: boolean): void {
	if (maxAttempts === 1 || !suspends) return;
	throw new NodeFailure("'Max Attempts' can't be combined with 'Suspend While Waiting'", {
		description:
			"Nothing was started. Set 'Max Attempts' to 1, or turn 'Suspend While Waiting' off.",
	});
}

const WAITS_FOR_OPTION = { '/waitUntilFinished': [true] };

/**
 * Returns the fields that follow the task when a job is started, the most used first.
 * `formatFields`: those of the output format. `ownFields`: those that only this operation has.
 */
export function jobFields<Own extends Fields = Record<never, never>>({
	formatFields,
	ownFields = {} as Own,
	waitOptions = WAIT_OPTIONS,
}: {
	formatFields: typeof OUTPUT_FORMAT_FIELDS;
	ownFields?: Own;
	waitOptions?: typeof WAIT_OPTIONS;
}) {
	const shownWait = withProperties(waitOptions, (property) => {
		return shownWhen(property, WAITS_FOR_OPTION);
	});
	return {
		...formatFields,
		waitUntilFinished: waitUntilFinishedField,
		...ownFields,
		simplify: simplifyField,
		options: optionsField({ ...shownWait, ...START_OPTIONS }),
	};
}

/** Returns a copy of a field that is hidden while 'Wait Until Finished' is off. */
export function shownWhenWaiting(field: INodeProperties): INodeProperties {
	// Not `show`: n8n would leave out the value of a field that comes before 'Wait Until Finished',
	// because two operations have fields of that name.
	const hide = { ...field.displayOptions?.hide, waitUntilFinished: [false] };
	return { ...field, displayOptions: { ...field.displayOptions, hide } };
}

/** What differs between the operations that start a job. */
interface JobSpec extends Pick<JobTask, 'extraFields'> {
	request: StartRequest;
	/** What error messages refer to. */
	subject: Omit<CallSubject, 'action'>;
	/** The output format. If unset, it is read from the parameters if the node waits. */
	format?: ReturnType<typeof toOutputFormat>;
	/** The maximum wait if 'Max Wait (Minutes)' is not set. */
	unsetMaxWaitMinutes: number;
	/** The fields of the service's response that the item has if the node doesn't wait. */
	startedFields: string[];
}

/**
 * Reads `jobFields`, and sends nothing. The task starts a job once; if 'Wait Until Finished' is on,
 * it waits for the end and makes the item, and starts another job if that one has failed.
 */
export function prepareJob(
	values: Values<ReturnType<typeof jobFields>>,
	{ request, subject, format, unsetMaxWaitMinutes, startedFields, extraFields }: JobSpec,
): Task {
	const read = values.waitUntilFinished
		? toJobOptions(values, format ?? toOutputFormat(values), unsetMaxWaitMinutes)
		: undefined;
	const { maxAttempts, minimumCredits, pauseJob, returnCdpUrl } = values.options;
	requireSingleAttempt(maxAttempts, read?.suspends === true);
	const job: JobTask = { start: { request, minimumCredits }, pauseJob, extraFields };
	const named = { ...subject, action: 'start' as const };

	if (read === undefined) {
		const { simplify } = values;
		const fields = returnCdpUrl ? [...startedFields, 'cdp_url'] : startedFields;
		return {
			subject: named,
			job,
			async execute(work) {
				await startOnce(work, job);
				const json = toStartedItem(work.job.record, { simplify, fields });
				return [{ kind: 'output', json, links: jobLinks(work) }];
			},
		};
	}
	const options = { ...read, returnCdpUrl, maxAttempts };
	job.options = options;
	return {
		subject: named,
		job,
		execute: async (work) => await runJob(work, job, options),
	};
}
