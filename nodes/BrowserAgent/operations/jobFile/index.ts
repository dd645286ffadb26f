import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../operation';
import { downloadFiles } from './download';
import { getAllJobFiles } from './getAll';

export const jobFileOperations: Record<string, Operation> = {
	download: downloadFiles,
	getAll: getAllJobFiles,
};

export const jobFileDropdown: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['jobFile'] } },
	options: [
		{
			name: 'Download',
			value: 'download',
			action: 'Download job files',
			description: 'Get the files a job has downloaded as binary data',
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many job files',
			description: 'List the files a job has downloaded, with links to them',
		},
	],
	default: 'getAll',
};
