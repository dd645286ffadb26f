import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../operation';
import { getJob } from './get';
import { pauseJob } from './pause';
import { resumeJob } from './resume';
import { waitForJobToFinish } from './wait';

export const jobOperations: Record<string, Operation> = {
	get: getJob,
	pause: pauseJob,
	resume: resumeJob,
	wait: waitForJobToFinish,
};

export const jobDropdown: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['job'] } },
	options: [
		{
			name: 'Get Status',
			value: 'get',
			action: 'Get job status',
			description: 'Look at a job as it is now',
		},
		{
			name: 'Pause',
			value: 'pause',
			action: 'Pause job',
			description: 'Stop a running job for up to 6 hours; after that the service fails it',
		},
		{
			name: 'Resume',
			value: 'resume',
			action: 'Resume job',
			description: 'Let a paused job go on',
		},
		{
			name: 'Wait',
			value: 'wait',
			action: 'Wait for job',
			description: 'Wait until a job is finished, and get its result',
		},
	],
	default: 'get',
};
