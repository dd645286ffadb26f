import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { startJob } from '../../jobs/startJob';
import { toStartedItem } from '../../output/jobItem';
import { readCollection, readField, type Field } from '../../parameters/field';
import { optionsField, simplifyField } from '../../parameters/options';
import { START_OPTIONS } from '../../parameters/starting';
import { readWaitParameters, WAIT_OPTIONS, waitUntilFinishedField } from '../../parameters/waiting';
import type { StartRequest } from '../../service/startRequests';
import { finishJob } from './finishJob';
import type { PreparedItem } from './operation';

/** What makes one operation that starts a job different from the other. */
export interface JobRun {
	request: StartRequest;
	/** For messages, e.g. "workflow wf_1"; unset for an agent. */
	subject?: string;
	/** What an unset 'Max Wait (Minutes)' means. */
	maxWaitMinutes: number;
	/** Fields of the response that the item has when the node doesn't wait. */
	startedFields: string[];
	/** The same when it waits, with what stands for an absent one. */
	finishedFields?: Record<string, string | undefined>;
}

/**
 * The fields of both operations that start a job, after their own. `ownOptions` are shown when the node
 * doesn't wait, too.
 */
export function runFields(ownOptions: Record<string, Field<unknown>> = {}): INodeProperties[] {
	return [
		waitUntilFinishedField.shown,
		simplifyField.shown,
		optionsField({ ...shownWhenWaiting(WAIT_OPTIONS), ...START_OPTIONS, ...ownOptions }),
	];
}

/** Reads the fields above. When run, the item starts its job, and waits for it if 'Wait Until Finished' is on. */
export function prepareRun(
	context: IExecuteFunctions,
	item: number,
	{ request, subject, maxWaitMinutes, startedFields, finishedFields = {} }: JobRun,
): PreparedItem {
	const simplify = readField(context, item, simplifyField);
	const waits = readField(context, item, waitUntilFinishedField);
	const waiting = waits ? readWaitParameters(context, item, maxWaitMinutes) : undefined;
	const options = readCollection(context, item, 'options', START_OPTIONS);

	return {
		subject: { subject },
		maxParallel: waiting?.maxParallel,
		suspends: waiting?.suspends,
		minimumCredits: options.minimumCredits,
		policy: {
			onStop: options.onStop !== 'leave',
			whenAbandoned: waiting?.pauseWhenAbandoned ?? false,
		},
		parameters: [request.path, request.body],
		async run(itemRun) {
			const started = await startJob(itemRun, {
				request,
				subject,
				maxWaitMs: waiting?.wait.maxWaitMs,
			});
			if (waiting === undefined) {
				return [{ json: toStartedItem(started, { simplify, fields: startedFields }) }];
			}
			const { job_id: jobId, startedAt, body } = started;
			const fields = Object.entries(finishedFields);
			const more = Object.fromEntries(fields.map(([name, absent]) => [name, body[name] ?? absent]));
			return await finishJob(
				itemRun,
				{ jobId, startedAt },
				{ ...waiting, simplify, more },
				request.kinds,
			);
		},
	};
}

function shownWhenWaiting(fields: Record<string, Field<unknown>>): Record<string, Field<unknown>> {
	const show = { '/waitUntilFinished': [true] };
	const entries = Object.entries(fields).map(([name, { shown, read }]) => {
		const displayOptions = { ...shown.displayOptions, show };
		return [name, { shown: { ...shown, displayOptions }, read }];
	});
	return Object.fromEntries(entries) as Record<string, Field<unknown>>;
}
