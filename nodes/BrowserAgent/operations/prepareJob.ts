import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { CallSubject } from '../../errors/describeServiceError';
import { jobLinks } from '../../jobs/jobLinks';
import { startJob } from '../../jobs/startJob';
import { toStartedItem } from '../../output/jobItem';
import { readField, shownWhen, type Field, type ParameterContext } from '../../parameters/field';
import { optionsField, simplifyField } from '../../parameters/options';
import type { OutputFormat } from '../../parameters/outputFormat';
import { readStartOptions, START_OPTIONS } from '../../parameters/starting';
import { readWaitParameters, WAIT_OPTIONS, waitUntilFinishedField } from '../../parameters/waiting';
import type { StartRequest } from '../../service/startRequests';
import type { RunBrowserAgentRequest, StartedJob } from '../../service/types';
import type { Preparation } from './operation';
import { runAttempts } from './runAttempts';

/** What differs between the operations that start a job. */
export interface JobSpec {
	request: StartRequest;
	/** What error messages refer to. */
	subject: Omit<CallSubject, 'action'>;
	/** The output format. If unset, it is read from the parameters if the node waits. */
	format?: OutputFormat;
	/** The maximum wait if 'Max Wait (Minutes)' is not set. */
	unsetMaxWaitMinutes: number;
	/** The fields of the service's response that the item has if the node doesn't wait. */
	startedFields: string[];
	/** Returns more fields of the item, for a node that waits. */
	extraFields?(started: StartedJob): IDataObject;
}

const WAITS_FOR_OPTION = { '/waitUntilFinished': [true] };

/** What differs between the fields of the operations that start a job. */
interface JobFieldsSpec {
	/** The fields of the output format. */
	formatFields: INodeProperties[];
	/** The fields that only this operation has. Default: none. */
	ownFields?: INodeProperties[];
	/** The options about the wait. Default: `WAIT_OPTIONS`. */
	waitOptions?: typeof WAIT_OPTIONS;
}

/** Returns the fields that follow the task when a job is started, the most used first. */
export function jobFields({
	formatFields,
	ownFields = [],
	waitOptions = WAIT_OPTIONS,
}: JobFieldsSpec): INodeProperties[] {
	const waiting = Object.entries(waitOptions).map(([name, field]) => {
		return [name, { ...field, property: shownWhen(field.property, WAITS_FOR_OPTION) }];
	});
	return [
		...formatFields,
		waitUntilFinishedField.property,
		...ownFields,
		simplifyField.property,
		optionsField({
			...(Object.fromEntries(waiting) as Record<string, Field<unknown>>),
			...START_OPTIONS,
		}),
	];
}

/** Returns a copy of a field that is hidden while 'Wait Until Finished' is off. */
export function shownWhenWaiting(field: INodeProperties): INodeProperties {
	// Not `show`: n8n would leave out the value of a field that comes before 'Wait Until Finished',
	// because two operations have fields of that name.
	const hide = { ...field.displayOptions?.hide, waitUntilFinished: [false] };
	return { ...field, displayOptions: { ...field.displayOptions, hide } };
}

/**
 * Reads `jobFields` for `Operation.prepare`, and sends nothing. Once all items have their sessions,
 * `runItems` calls the returned `execute`. If 'Wait Until Finished' is on, `execute` calls
 * `runAttempts`, which starts the job, waits for it and makes the item. Otherwise `execute` calls
 * `startJob` and returns the started job as an item.
 */
export function prepareJob(
	context: ParameterContext,
	itemIndex: number,
	{ request, subject, format, unsetMaxWaitMinutes, startedFields, extraFields }: JobSpec,
): Preparation {
	const waitsForEnd = readField(context, itemIndex, waitUntilFinishedField);
	const waiting = waitsForEnd
		? readWaitParameters(context, itemIndex, unsetMaxWaitMinutes, format)
		: undefined;
	const options = readStartOptions(context, itemIndex, waiting?.suspends);
	const { maxAttempts, minimumCredits, pauseJob: pausePolicy, returnCdpUrl } = options;
	const start = { request, maxRetryMs: waiting?.waitOptions.maxWaitMs, minimumCredits };
	const shared = {
		subject: { ...subject, action: 'start' as const },
		cdpUrl: (request.body as Partial<RunBrowserAgentRequest>).cdp_url,
		pausePolicy,
		hasJob: true,
	};
	if (waiting === undefined) {
		const simplify = readField(context, itemIndex, simplifyField);
		const fields = returnCdpUrl ? [...startedFields, 'cdp_url'] : startedFields;
		return {
			...shared,
			async execute(session) {
				const started = await startJob(session, start);
				const json = toStartedItem(started, { simplify, fields });
				return [{ kind: 'output', json, links: jobLinks(session, undefined) }];
			},
		};
	}
	const { waitOptions, itemOptions, maxParallel, suspends } = waiting;
	const toItemOptions = (started: StartedJob) => ({
		...itemOptions,
		returnCdpUrl,
		extraFields: extraFields?.(started),
	});
	return {
		...shared,
		maxParallel,
		waitsForEnd: true,
		suspends,
		async execute(session) {
			return await runAttempts(session, { start, maxAttempts, waitOptions, toItemOptions });
		},
	};
}
