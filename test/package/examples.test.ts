/** Rules for all example workflows; that they run is tested in n8n itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';

const FOLDER = resolve(__dirname, '../../examples');

function workflowOf(file: string): { nodes: INode[]; connections: IConnections } {
	return JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as ReturnType<typeof workflowOf>;
}

function nodesOf(file: string): INode[] {
	return workflowOf(file).nodes;
}

/** The names of the nodes that an output of a node leads to. */
function targetsOf(connections: IConnections, name: string, output: number): string[] {
	return (connections[name]?.main?.[output] ?? []).map(({ node }) => node);
}

/** The nodes of this operation of the action node. */
function ours(nodes: INode[], operation: string): INode[] {
	return nodes.filter(
		({ type, parameters }) => /\.browserAgent/.test(type) && parameters.operation === operation,
	);
}

describe('The examples', () => {
	it('pause the job when an execution is stopped that starts it and waits with Job: Wait', () => {
		const waits = readdirSync(FOLDER)
			.filter((file) => file.endsWith('.json'))
			.map(nodesOf)
			.filter((nodes) => ours(nodes, 'run').length > 0)
			.flatMap((nodes) => ours(nodes, 'wait'));

		expect(waits.length).toBeGreaterThan(0);
		for (const { parameters } of waits)
			expect(parameters.options).toMatchObject({ pauseJob: 'onStop' });
	});

	it('look at the status after a suspended wait, and wait again if n8n was interrupted', () => {
		const suspended = readdirSync(FOLDER)
			.filter((file) => file.endsWith('.json'))
			.map(workflowOf)
			.flatMap(({ nodes, connections }) =>
				nodes
					.filter(({ parameters }) => JSON.stringify(parameters).includes('suspendWhileWaiting'))
					.map(({ name }) => {
						const [next = ''] = targetsOf(connections, name, 0);
						const { type, parameters } = nodes.find((node) => node.name === next) ?? {};
						const isCheck = type === 'n8n-nodes-base.if';
						const reads = isCheck && JSON.stringify(parameters).includes('={{ $json.status }}');
						return { reads, waitsAgain: targetsOf(connections, next, 1).includes(name) };
					}),
			);

		expect(suspended.length).toBeGreaterThan(0);
		for (const one of suspended) expect(one).toEqual({ reads: true, waitsAgain: true });
	});

	it('write raw values into Google Sheets, where text of a web page could become a formula', () => {
		const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
		const writers = files
			.flatMap(nodesOf)
			.filter(({ type }) => type === 'n8n-nodes-base.googleSheets')
			.filter(({ parameters }) => parameters.operation !== 'read');

		expect(writers).not.toEqual([]);
		for (const { parameters } of writers) {
			expect(parameters.options).toMatchObject({ cellFormat: 'RAW' });
		}
	});
});
