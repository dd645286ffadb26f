/**
 * What users' saved workflows depend on: names, types, defaults, options and conditions. All of it
 * is in interface.golden.json, so that a change shows in the diff. After a change that is meant:
 *
 *     UPDATE_GOLDEN=1 npx jest test/package/interface && npx oxfmt test/package
 *
 * Adding something is free. Renaming or removing something breaks saved workflows.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodeType } from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
import { BrowserAgentTrigger } from '../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';
import packageJson from '../../package.json';

const NODES_FOLDER = resolve(__dirname, '../../nodes');
const GOLDEN_FILE = join(__dirname, 'interface.golden.json');

const action: INodeType = new BrowserAgent();
const trigger: INodeType = new BrowserAgentTrigger();
const credential = new BrowserAgentApi();

/** The whole interface as plain data. */
function deriveInterface(): unknown {
	const derived = {
		package: { name: packageJson.name, n8n: packageJson.n8n },
		credential: {
			name: credential.name,
			displayName: credential.displayName,
			parameters: credential.properties.map(toParameter),
		},
		nodes: [action, trigger].map(({ description }) => ({
			name: description.name,
			displayName: description.displayName,
			version: description.version,
			polling: description.polling,
			usableAsTool: description.usableAsTool,
			inputs: description.inputs,
			outputs: description.outputs,
			credentials: description.credentials,
			parameters: description.properties.map(toParameter),
		})),
		outputs: Object.fromEntries(schemaFiles().map((file) => [file, fieldsIn(file)])),
	};
	return JSON.parse(JSON.stringify(derived)) as unknown;
}

function toParameter(property: INodeProperties): object {
	const { name, displayName, type, required, typeOptions, displayOptions } = property;
	const options = property.options?.map((option) =>
		'value' in option
			? { value: option.value, name: option.name }
			: toParameter(option as Exclude<typeof option, INodePropertyCollection>),
	);
	return {
		name,
		displayName,
		type,
		default: property.default,
		required,
		typeOptions,
		displayOptions,
		options,
	};
}

/** The files from which the editor knows the fields of an output before a run. */
function schemaFiles(): string[] {
	const files = readdirSync(NODES_FOLDER, { recursive: true, encoding: 'utf8' });
	return files.filter((file) => file.includes('__schema__') && file.endsWith('.json')).sort();
}

function fieldsIn(schemaFile: string): string[] {
	const schema = readFileSync(join(NODES_FOLDER, schemaFile), 'utf8');
	return Object.keys((JSON.parse(schema) as { properties: object }).properties);
}

describe('The interface', () => {
	it('is the one in interface.golden.json', () => {
		const derived = deriveInterface();

		if (process.env.UPDATE_GOLDEN === '1') writeFileSync(GOLDEN_FILE, JSON.stringify(derived));

		expect(derived).toEqual(JSON.parse(readFileSync(GOLDEN_FILE, 'utf8')));
	});

	// n8n's Retry On Fail takes an item with `error` for a failure, and runs the node again.
	it.each(schemaFiles())('has no top-level error in %s', (file) => {
		expect(fieldsIn(file)).not.toContain('error');
	});
});
