import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { format } from 'oxfmt';

import { buildNodes } from '../engine/buildNodes';
import type * as bundledNodes from '../engine/bundledNodes';

const PAGE = path.join(__dirname, '../../docs/parameters.md');

const INTRODUCTION = `# Parameters

<!-- Written by \`npm run docs:parameters\`; do not edit. -->

Each parameter with its name in a workflow's JSON and, in parentheses, its values. The first is the default, also of an option that you don't add. "Waiting": shown only with _Wait Until Finished_ on. The service uses the same names in snake case, except that _Model_ is \`action_selection_model\`.

With the [local service](../local-service/README.md#what-jobs-do-here), every _Model_ but _Custom_ is the first in its \`MODELS\`, _Custom_ can be any of them, and there is no _Residential IP_.`;

const WAITING = '/waitUntilFinished';
/** In a description, what the values of the parameter say, too. */
const BOUNDS = /, from \d+ to \d+( minutes)?/;

/** An operation, the trigger or the credential. */
interface Section {
	title: string;
	properties: INodeProperties[];
}

/** A field, or an option with the name of its collection before its own. */
interface Parameter {
	name: string;
	property: INodeProperties;
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
	return properties.flatMap((property): Parameter[] => {
		if (property.type !== 'collection') return [{ name: property.name, property }];
		return (property.options as INodeProperties[]).map((option) => ({
			name: `${property.name}.${option.name}`,
			property: option,
		}));
	});
}

function optionsOf(property: INodeProperties | undefined): INodePropertyOptions[] {
	return (property?.options ?? []) as INodePropertyOptions[];
}

function toItem({ name, property }: Parameter, mark?: string): string {
	const details = [valuesOf(property), mark].filter(Boolean).join('; ');
	const label = `_${property.displayName}_ ${code(name)}`;
	return `- ${details ? `${label} (${details})` : label}: ${meaningOf(property)}.`;
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

function meaningOf({ description, hint }: INodeProperties): string {
	return toMarkdown(description ?? hint)
		.replace(BOUNDS, '')
		.replace(/\.$/, '');
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
	const markedSoFar = new Set<string>();
	// Operations with the same parameters are one chapter.
	const titlesByText = new Map<string, string[]>();
	for (const section of sections) {
		const shared = new Map<string, string[]>();
		const items = parametersOf(section).flatMap((parameter) => {
			const { property } = parameter;
			const item = toItem(parameter);
			const { show = {}, hide = {} } = property.displayOptions ?? {};
			const isWaiting = WAITING in show || 'waitUntilFinished' in hide;
			const place = known.get(item);
			if (place === undefined) {
				known.set(item, section.title);
				if (isWaiting) markedSoFar.add(property.name);
				return [isWaiting ? toItem(parameter, 'waiting') : item];
			}
			const isNew = isWaiting && !markedSoFar.has(property.name);
			const listed = isNew ? `${code(property.name)} (waiting)` : code(property.name);
			shared.set(place, [...(shared.get(place) ?? []), listed]);
			return [];
		});
		const lists = [...shared].map(([place, names]) => `As ${place}: ${names.join(', ')}.`);
		const text = [items.join('\n'), ...lists].join('\n\n');
		titlesByText.set(text, [...(titlesByText.get(text) ?? []), section.title]);
	}
	const chapters = [...titlesByText].map(([text, titles]) => `## ${titles.join(', ')}\n\n${text}`);
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
