import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { LoggedRequest } from '../sandbox/types';

/** Everything that a user, a log or the next node could see of a case. */
export class Observation {
	/** What the node has put out, by poll of the trigger or by output of the action node. */
	outputs: INodeExecutionData[][] = [];
	/** The error of the run, or one for each failed poll. */
	errors: unknown[] = [];
	log: string[] = [];
	hints: string[] = [];
	highlighted: Record<string, string> = {};
	/** The trigger's static data. */
	staticData: IDataObject = {};
	/** What has arrived at the sandbox. */
	requests: LoggedRequest[] = [];
	/** Whether it has ended within the hard limit. */
	hasEnded = false;
	blockedMs = 0;
	unhandled: unknown[] = [];
}
