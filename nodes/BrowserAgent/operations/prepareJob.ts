import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { startJob } from '../../jobs/startJob';
import { toStartedItem } from '../../output/jobItem';
import { readField, shownWhen, type Field } from '../../parameters/field';
import { optionsField, simplifyField } from '../../parameters/options';
import type { OutputFormat } from '../../parameters/outputFormat';
import { readStartOptions, START_OPTIONS } from '../../parameters/starting';
import {
	readWaitParameters,
	suspendWhileWaitingField,
	WAIT_OPTIONS,
	waitUntilFinishedField,
} from '../../parameters/waiting';
import type { StartRequest } from '../../service/startRequests';
import type { RunBrowserAgentRequest, StartedJob } from '../../service/types';
import type { Preparation } from './operation';
import { runAttempts } from './runAttempts';

/** What makes one operation that starts a job different from the other. */
export interface JobOperation {
	request: StartRequest;
	/** For messages, e.g. "Workflow wf_1"; unset for an agent. */
	subject?: string;
	/** The form of the output; unset: it is read if the node waits. */
	format?: OutputFormat;
	/** What an unset 'Max Wait (Minutes)' means. */
	maxWaitMinutes: number;
	/** Fields of the response that the item has when the node doesn't wait. */
	startedFields: string[];
	/** More fields of the item when it waits. */
	extraFields?(started: StartedJob): IDataObject;
}

/** The fields of both operations that start a job, after their own. */
export function jobFields(formatFields: INodeProperties[]): INodeProperties[] {
	const waiting = Object.entries(WAIT_OPTIONS).map(([name, field]) => {
		return [name, { ...field, property: shownWhenWaiting(field.property) }];
	});
	return [
		waitUntilFinishedField.property,
		shownWhenWaiting(suspendWhileWaitingField.property),
		...formatFields,
		simplifyField.property,
		optionsField({
			...(Object.fromEntries(waiting) as Record<string, Field<unknown>>),
			...START_OPTIONS,
		}),
	];
}

/** The same field or option, hidden while 'Wait Until Finished' is off. */
export function shownWhenWaiting(field: INodeProperties): INodeProperties {
	return shownWhen(field, { '/waitUntilFinished': [true] });
}

/**
 * Reads the fields above, and sends nothing. The `execute` that it returns is called by `runItems`,
 * after all items are prepared: it starts the job, and waits for it if 'Wait Until Finished' is on.
 */
export function prepareJob(
	context: IExecuteFunctions,
	item: number,
	{ request, subject, format, maxWaitMinutes, startedFields, extraFields }: JobOperation,
): Preparation {
	const waits = readField(context, item, waitUntilFinishedField);
	const waiting = waits ? readWaitParameters(context, item, maxWaitMinutes, format) : undefined;
	const options = readStartOptions(context, item, waiting?.suspends);
	const { maxAttempts = 1, minimumCredits, pauseJob = 'onStop', returnCdpUrl = false } = options;
	const start = { request, maxWaitMs: waiting?.waitOptions.maxWaitMs, minimumCredits };
	const prepared = {
		subject: { subject, action: 'start' as const },
		cdpUrl: (request.body as Partial<RunBrowserAgentRequest>).cdp_url,
		policy: pauseJob,
		parameters: [request.path, request.body],
	};
	if (waiting === undefined) {
		const simplify = readField(context, item, simplifyField);
		const fields = returnCdpUrl ? [...startedFields, 'cdp_url'] : startedFields;
		return {
			...prepared,
			execute: async (session) => [
				{
					kind: 'output',
					json: toStartedItem(await startJob(session, start), { simplify, fields }),
				},
			],
		};
	}
	const { waitOptions, itemOptions, maxParallel, suspends } = waiting;
	const toItemOptions = (started: StartedJob) => ({
		...itemOptions,
		returnCdpUrl,
		extraFields: extraFields?.(started),
	});
	return {
		...prepared,
		maxParallel,
		waits: true,
		suspends,
		execute: async (session) =>
			await runAttempts(session, { start, maxAttempts, waitOptions, toItemOptions }),
	};
}
