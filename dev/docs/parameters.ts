import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { format } from 'oxfmt';

import { buildNodes } from '../engine/buildNodes';
import type * as bundledNodes from '../engine/bundledNodes';

const PAGE = path.join(__dirname, '../../docs/parameters.md');

const INTRODUCTION = `# Parameters

<!-- Written by \`npm run docs:parameters\`; do not edit. -->

Every field and option, with its name in a workflow's JSON. The first value is the default, which holds for an option that you don't add, too, with two exceptions: _Max Wait (Minutes)_ of Agent: Run [grows with _Max Duration (Minutes)_](waiting.md#what-ends-a-wait), and an _Own Browser CDP URL_ that is added but empty is an error. "(waiting)" marks parameters shown only with _Wait Until Finished_ on.

The service uses the same names in snake case, except that _Model_ is \`action_selection_model\`.`;

const WAITING = '/waitUntilFinished';
const LABEL = /_[^_]+_/;

/** An operation, the trigger or the credential. */
interface Section {
	title: string;
	properties: INodeProperties[];
}

/** A field, or an option with the name of its collection before its own. */
interface Parameter {
	name: string;
	property: INodeProperties;
	labels: Map<string, INodeProperties>;
}

function sectionsOf(nodes: typeof bundledNodes): Section[] {
	const { properties } = new nodes.BrowserAgent().description;
	const resources = optionsOf(properties.find(({ name }) => name === 'resource'));
	const operations = resources.flatMap((resource) => {
		const dropdown = properties.find(
			({ name, displayOptions }) =>
				name === 'operation' && displayOptions?.show?.resource?.includes(resource.value),
		);
		return optionsOf(dropdown).map((operation) => ({
			title: `${resource.name}: ${operation.name}`,
			properties: properties.filter(({ displayOptions }) => {
				const { resource: of = [], operation: to = [] } = displayOptions?.show ?? {};
				return of.includes(resource.value) && to.includes(operation.value);
			}),
		}));
	});
	return [
		...operations.filter((one) => one.properties.length > 0),
		{ title: 'Trigger', properties: new nodes.BrowserAgentTrigger().description.properties },
		{ title: 'Credential', properties: new nodes.BrowserAgentApi().properties },
	];
}

function parametersOf({ properties }: Section): Parameter[] {
	const labels = new Map(properties.map((property) => [property.name, property]));
	return properties.flatMap((property): Parameter[] => {
		const own = { name: property.name, property, labels };
		if (property.type !== 'collection') return [own];
		const options = (property.options as INodeProperties[]).map((option) => ({
			name: `${property.name}.${option.name}`,
			property: option,
			labels,
		}));
		return conditionsOf(own) === '' ? options : [own, ...options];
	});
}

function optionsOf(property: INodeProperties | undefined): INodePropertyOptions[] {
	return (property?.options ?? []) as INodePropertyOptions[];
}

function toRow(parameter: Parameter): string {
	const { name, property } = parameter;
	const cells = [
		// An option's name may wrap after the name of its collection.
		`_${property.displayName}_<br>${name.split('.').map(code).join('.<wbr>')}`,
		valuesOf(property),
		meaningOf(parameter),
	];
	return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The values that a parameter can have, its default first. */
function valuesOf(property: INodeProperties): string {
	const initial = property.default;
	if (property.required === true && initial === '') return 'required';
	const values = optionsOf(property).map(({ value }) => value);
	switch (property.type) {
		case 'options':
			return [initial, ...values.filter((value) => value !== initial)].map(code).join(', ');
		case 'multiOptions': {
			const initials = initial as unknown[];
			const others = values.filter((value) => !initials.includes(value));
			const chosen = initials.length === 0 ? 'none' : initials.map(code).join(', ');
			return `${chosen}; or ${others.map(code).join(', ')}`;
		}
		case 'number':
			return `${code(initial)}; ${boundsOf(property)}`;
		case 'boolean':
			return code(initial);
		case 'string':
			return initial === '' ? '' : code(initial);
		default:
			return '';
	}
}

function boundsOf({ typeOptions = {} }: INodeProperties): string {
	const { minValue, maxValue, numberPrecision } = typeOptions;
	if (maxValue !== undefined) return `${minValue} to ${maxValue}`;
	return minValue === 0 && numberPrecision === undefined ? 'above 0' : `from ${minValue}`;
}

function meaningOf(parameter: Parameter): string {
	const { description, hint } = parameter.property;
	const meaning = toMarkdown(description ?? hint).replace(/\.$/, '');
	const sentences = [meaning, conditionsOf(parameter)];
	return sentences.filter(Boolean).join('. ');
}

function conditionsOf({ property, labels }: Parameter): string {
	const conditions = Object.entries(property.displayOptions?.show ?? {})
		.filter(([field]) => !['resource', 'operation', WAITING].includes(field))
		.map(([field, values]) => {
			const shown = labels.get(field.replace('/', ''));
			const names = (values ?? []).map((value) => {
				return optionsOf(shown).find((option) => option.value === value)?.name ?? String(value);
			});
			return `_${shown?.displayName}_ is ${names.join(' or ')}`;
		});
	return conditions.length > 0 ? `Shown when ${conditions.join(' and ')}` : '';
}

// The underscores of names, and wildcards, must not become emphasis.
function toMarkdown(text = ''): string {
	return text.replace(/\w+_\w+/g, '`$&`').replaceAll('*', '\\*');
}

function code(value: unknown): string {
	return `\`${String(value)}\``;
}

function toPage(sections: Section[]): string {
	const known = new Map<string, string>();
	const labelsSoFar = new Set<string>();
	const chapters = sections.map((section) => {
		const shared = new Map<string, string[]>();
		const rows = parametersOf(section).flatMap((parameter) => {
			const { property } = parameter;
			const row = toRow(parameter);
			const { show = {}, hide = {} } = property.displayOptions ?? {};
			const isWaiting = WAITING in show || 'waitUntilFinished' in hide;
			const name = `_${property.displayName}_`;
			const label = isWaiting ? `${name} (waiting)` : name;
			const place = known.get(row);
			if (place === undefined) {
				known.set(row, section.title);
				labelsSoFar.add(label);
				return [row.replace(LABEL, label)];
			}
			const listed = labelsSoFar.has(label) ? name : label;
			shared.set(place, [...(shared.get(place) ?? []), listed]);
			return [];
		});
		const table = ['| Parameter | Values | Meaning |', '| - | - | - |', ...rows];
		return [
			`## ${section.title}`,
			rows.length > 0 ? table.join('\n') : '',
			...[...shared].map(([place, labels]) => `As ${place}: ${labels.join(', ')}.`),
		].join('\n\n');
	});
	return [INTRODUCTION, ...chapters].join('\n\n');
}

/** `npm run docs:parameters`: writes the page or, with `--check`, fails if it is not up to date. */
async function main(): Promise<void> {
	const { code: page } = await format(PAGE, toPage(sectionsOf(await buildNodes())));
	if (!process.argv.includes('--check')) {
		writeFileSync(PAGE, page);
	} else if (readFileSync(PAGE, 'utf8') !== page) {
		console.error('docs/parameters.md is out of date: npm run docs:parameters');
		process.exitCode = 1;
	}
}

void main();
