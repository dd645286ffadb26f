/** Rules for all example workflows; that they run is tested in n8n itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INode } from 'n8n-workflow';

const FOLDER = resolve(__dirname, '../../examples');

function nodesOf(file: string): INode[] {
	const { nodes } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { nodes: INode[] };
	return nodes;
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
