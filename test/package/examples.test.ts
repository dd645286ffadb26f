/** Rules for all example workflows; that they run is tested in n8n itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INode } from 'n8n-workflow';

const FOLDER = resolve(__dirname, '../../examples');

function nodesOf(file: string): INode[] {
	const { nodes } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { nodes: INode[] };
	return nodes;
}

describe('The examples', () => {
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
