import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import type { Service } from '../../local-service/startService';
import { runNode } from '../support/runNode';
import { testClock } from '../support/testClock';
import { setClock } from '../support/testRuntime';
import { FakeEngine } from './support/fakeEngine';
import { useServices } from './support/useService';

const FOLDER = path.join(__dirname, '../../examples');
const PAGE = 'https://shop.example.com/';

/** What the nodes before the examples' own give them. */
const INPUT: IDataObject = {
	Task: 'Find the price',
	Page: PAGE,
	body: { task: 'Find the price', page: PAGE },
	company: 'Acme',
	website: PAGE,
	shop: 'Acme',
	vendor: 'Acme',
	month: 'May',
	Company: 'Acme',
	'Tax ID': '1',
	'E-Mail': 'a@acme.example',
	models: 'o3',
	output: { order_number: 'A-1' },
	cdp_url: 'ws://127.0.0.1:9555/devtools/browser/1',
	live_url: 'https://browser.example/live',
};

/** Each action node of the examples that starts a job. */
const STARTS = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.json'))
	.flatMap((file) => {
		const { nodes } = JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as {
			nodes: INode[];
		};
		return nodes
			.filter(({ type, parameters }) => {
				return type.endsWith('.browserAgent') && parameters.operation === 'run';
			})
			.map(({ name, parameters }) => ({ file, name, parameters }));
	});

/** The answer that the node's settings ask for. */
function answerFor({ outputExample, outputFormat }: INode['parameters']): unknown {
	if (typeof outputExample === 'string') return JSON.stringify(JSON.parse(outputExample));
	return outputFormat === 'schema' ? '{ "is_broken": false }' : 'Done';
}

describe('The local service', () => {
	const services = useServices();
	let service: Service;
	const engine = new FakeEngine();

	beforeEach(async () => {
		setClock(testClock());
		engine.tasks.length = 0;
		service = await services.start({}, { engine });
		const workflow = {
			directive: 'Download the invoice of {{vendor}} for {{month}}',
			inputs: [{ name: 'vendor', required: true }, { name: 'month' }],
		};
		const file = path.join(service.dataFolder, 'workflows', 'wf_invoice_download.json');
		writeFileSync(file, JSON.stringify(workflow));
	});
	afterAll(() => setClock());

	it.each(STARTS)("runs a job for '$name' of examples/$file", async ({ parameters }) => {
		engine.answer = async () => answerFor(parameters);
		// Other nodes of the workflow are not here.
		const own = JSON.stringify(parameters).replace(/\$\('[^']+'\)\.item\.json/g, '$json');
		const { resource, operation, ...rest } = JSON.parse(own) as INode['parameters'];
		const { json, error } = await runNode({
			baseUrl: service.url,
			apiKey: service.apiKey,
			resource: String(resource),
			operation: String(operation),
			parameters: rest,
			input: [INPUT],
		});

		expect(error?.message).toBeUndefined();
		expect(json).toMatchObject([{ job_id: expect.stringMatching(/^job_/) as string }]);
		expect(engine.tasks).toHaveLength(1);
		const isWaiting = rest.waitUntilFinished === true;
		if (isWaiting) expect(json).toMatchObject([{ status: 'completed' }]);
	});
});
