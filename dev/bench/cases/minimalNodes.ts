import {
	NodeConnectionTypes,
	type ICredentialType,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

// The smallest nodes that do what one row measures.

/** The cheapest credential: a function that sets the header. */
export const minimalApi: ICredentialType = {
	name: 'minimalApi',
	displayName: 'Minimal API',
	properties: [],
	authenticate: async ({ apiKey }, options) => ({
		...options,
		headers: { ...options.headers, Authorization: `Bearer ${String(apiKey)}` },
	}),
};

/** One GET for each item, in sequence. */
export const minimalGet = minimalNode(['jobId'], async (context) => {
	const { baseUrl } = await context.getCredentials('minimalApi');
	const items = [];
	for (let item = 0; item < context.getInputData().length; item++) {
		const jobId = String(context.getNodeParameter('jobId', item));
		const url = `${String(baseUrl)}/v1/get_job_status/${encodeURIComponent(jobId)}`;
		items.push({ json: (await send(context, 'GET', url)) as IDataObject, pairedItem: { item } });
	}
	return items;
});

/** Streams a file into n8n's binary data. */
export const minimalDownload = minimalNode(['url'], async (context) => {
	const url = String(context.getNodeParameter('url', 0));
	const stream = (await context.helpers.httpRequest({ url, encoding: 'stream' })) as Readable;
	const data = await context.helpers.prepareBinaryData(stream, 'file.bin');
	return [{ json: {}, binary: { data }, pairedItem: { item: 0 } }];
});

/** Starts a job for each item and polls it at a fixed interval until it ends; then the next item. */
export const waitItemByItem = minimalNode(['everyMs'], async (context) => {
	const { baseUrl } = await context.getCredentials('minimalApi');
	const everyMs = Number(context.getNodeParameter('everyMs', 0));
	const items = [];
	for (let item = 0; item < context.getInputData().length; item++) {
		const start = `${String(baseUrl)}/v1/run_browser_agent`;
		const { directive = '' } = context.getInputData()[item]?.json ?? {};
		let job = (await send(context, 'POST', start, { directive })) as IDataObject;
		const statusUrl = `${String(baseUrl)}/v1/get_job_status/${String(job.job_id)}`;
		while (job.status === 'running') {
			await sleep(everyMs);
			job = (await send(context, 'GET', statusUrl)) as IDataObject;
		}
		items.push({ json: job, pairedItem: { item } });
	}
	return items;
});

function minimalNode(
	parameters: string[],
	run: (context: IExecuteFunctions) => Promise<INodeExecutionData[]>,
): INodeType {
	return {
		description: {
			displayName: 'Minimal',
			name: 'minimal',
			group: ['transform'],
			version: 1,
			description: 'Does one thing',
			defaults: { name: 'Minimal' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: 'minimalApi' }],
			properties: parameters.map((name) => ({
				displayName: name,
				name,
				type: 'string',
				default: '',
			})),
		},
		async execute(this: IExecuteFunctions) {
			return [await run(this)];
		},
	};
}

async function send(
	context: IExecuteFunctions,
	method: 'GET' | 'POST',
	url: string,
	body?: IDataObject,
): Promise<unknown> {
	return await context.helpers.httpRequestWithAuthentication.call(context, 'minimalApi', {
		method,
		url,
		json: true,
		...(body === undefined ? {} : { body }),
	});
}
