/** How long texts may be that people read in a panel, and n8n's AI workflow builder in a prompt. */
import type { INodeProperties } from 'n8n-workflow';

import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
import { BrowserAgentTrigger } from '../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';

const MAX_WORDS = 25;
// The limit of n8n's linter, which can't see fields that functions build.
const MAX_HINT_CHARACTERS = 120;

interface Text {
	path: string;
	text: string;
}

const fields = [new BrowserAgent(), new BrowserAgentTrigger()].flatMap(({ description }) =>
	withOptions(description.properties),
);

/** All fields, with the options of collections, and the path of each. */
function withOptions(
	properties: INodeProperties[],
	parent = '',
): Array<{ path: string; field: INodeProperties }> {
	return properties.flatMap((field) => {
		const path = `${parent}${field.name}`;
		const options = field.type === 'collection' ? (field.options as INodeProperties[]) : [];
		return [{ path, field }, ...withOptions(options, `${path}.`)];
	});
}

/** What a reader sees of a text that may contain links. */
function withoutMarkup(text: string): string {
	return text.replaceAll(/<[^>]+>/g, '');
}

describe('The fields of both nodes', () => {
	it(`have descriptions of at most ${MAX_WORDS} words`, () => {
		const descriptions = fields.map(({ path, field }): Text => ({
			path,
			text: field.description ?? '',
		}));

		expect(descriptions.filter(({ text }) => text.split(/\s+/).length > MAX_WORDS)).toEqual([]);
	});

	it(`have hints of at most ${MAX_HINT_CHARACTERS} characters`, () => {
		const hints = fields.map(({ path, field }): Text => ({
			path,
			text: withoutMarkup(field.hint ?? ''),
		}));

		expect(hints.filter(({ text }) => text.length > MAX_HINT_CHARACTERS)).toEqual([]);
	});

	it('have switches that are off in collections, as most switches of n8n are', () => {
		const switches = fields.filter(
			({ path, field }) => path.includes('.') && field.type === 'boolean',
		);

		expect(switches.length).toBeGreaterThan(0);
		expect(switches.filter(({ field }) => field.default !== false)).toEqual([]);
	});
});
