import {
	NodeConnectionTypes,
	type ICredentialType,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';
import type { Readable } from 'node:stream';

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
		const request = context.helpers.httpRequestWithAuthentication;
		const json = (await request.call(context, 'minimalApi', { url, json: true })) as IDataObject;
		items.push({ json, pairedItem: { item } });
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
