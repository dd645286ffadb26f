import path from 'node:path';

import { z } from 'zod';

import { JobFailure } from './JobFailure';
import { readIfThere } from './jobs/DataFolder';

const ID = /^\w[\w.-]{0,99}$/;
const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g;

const inputSchema = z.strictObject({
	name: z.string().regex(/^[\w.-]+$/, "must have letters, digits, '_', '.' and '-' only"),
	description: z.string().optional(),
	required: z.boolean().optional(),
});

const workflowSchema = z.strictObject({
	directive: z.string().refine((text) => text.trim() !== '', 'must not be blank'),
	initial_url: z.string().optional(),
	inputs: z.array(inputSchema).optional(),
});

/** A value that a saved workflow is run with. */
export type WorkflowInput = z.infer<typeof inputSchema>;

/** A saved workflow, as it stands in the folder of the service. */
export interface SavedWorkflow {
	/** With `{{name}}` where the value of an input belongs. */
	directive: string;
	initialUrl?: string;
	inputs: WorkflowInput[];
}

/** A file that is no workflow. The message is a sentence that names it and says why. */
export class WorkflowError extends Error {
	override readonly name = 'WorkflowError';
}

/** Maps a text to inputs by their names. */
export type MapText = (inputs: WorkflowInput[], text: string) => Promise<Record<string, string>>;

/**
 * Reads `<id>.json` of a folder. Returns nothing if there is no such file, and throws a
 * WorkflowError if it is no workflow.
 */
export function readWorkflow(folder: string, id: string): SavedWorkflow | undefined {
	if (!ID.test(id)) return undefined;
	const file = `${id}.json`;
	try {
		const text = readIfThere(path.join(folder, file));
		return text === undefined ? undefined : parseWorkflow(text);
	} catch (error) {
		throw new WorkflowError(`The file 'workflows/${file}' is no workflow: ${reasonOf(error)}`, {
			cause: error,
		});
	}
}

function parseWorkflow(text: string): SavedWorkflow {
	const { directive, initial_url, inputs = [] } = workflowSchema.parse(JSON.parse(text));
	const names = inputs.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined) throw new Error(`the input '${twice}' is declared twice`);
	const unknown = placeholders(directive).find((name) => !names.includes(name));
	if (unknown !== undefined) {
		throw new Error(`the directive has '{{${unknown}}}', but there is no such input`);
	}
	return { directive, initialUrl: initial_url, inputs };
}

/**
 * Returns the directive with the values of the inputs filled in: those of a JSON object by name, any
 * other text as `mapText` maps it. An optional input without a value is left empty. Throws a
 * JobFailure if a required one has none.
 */
export async function fillIn(
	{ directive, inputs }: SavedWorkflow,
	payload: string,
	mapText: MapText,
): Promise<string> {
	const values = await toValues(inputs, payload.trim(), mapText);
	const missing = inputs.find(({ name, required }) => required && !values.get(name));
	if (missing) {
		throw new JobFailure(`The payload has no value for the required input '${missing.name}'`);
	}
	// In one go, so that a value is never taken for a placeholder.
	return directive.replace(PLACEHOLDER, (_placeholder, name: string) => values.get(name) ?? '');
}

async function toValues(
	inputs: WorkflowInput[],
	payload: string,
	mapText: MapText,
): Promise<Map<string, string>> {
	if (inputs.length === 0 || payload === '') return new Map();
	const fields = readFields(payload) ?? (await mapText(inputs, payload));
	const named = new Map(Object.entries(fields));
	return new Map(inputs.map(({ name }) => [name, toText(name, named.get(name))]));
}

function readFields(payload: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(payload);
		const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
		return isObject ? (value as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}

function toText(name: string, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value !== 'object') return String(value).trim();
	try {
		return JSON.stringify(value);
	} catch (error) {
		throw new JobFailure(`The value of the input '${name}' is nested too deeply`, { cause: error });
	}
}

function placeholders(directive: string): string[] {
	return [...directive.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

function reasonOf(error: unknown): string {
	if (!(error instanceof z.ZodError)) return (error as Error).message;
	const [issue] = error.issues;
	const place = issue?.path.join('.');
	return place ? `'${place}': ${issue?.message}` : (issue?.message ?? '');
}
