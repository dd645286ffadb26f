interface Parameter {
	name: string;
	required?: boolean;
}

interface Workflow {
	id: string;
	parameters: Parameter[];
	toDirective(inputs: Record<string, string>): string;
}

/** The workflow's inputs, or the name of the first required parameter without a value. */
type PayloadMapping = { inputs: Record<string, string> } | { missing: string };

const workflows: Workflow[] = [
	{
		id: 'wf_invoice_download',
		parameters: [{ name: 'vendor', required: true }, { name: 'month' }],
		toDirective: ({ vendor = '', month }) =>
			`Download the invoice of ${vendor} for ${month ?? 'the last month'}`,
	},
	{
		id: 'wf_daily_report',
		parameters: [],
		toDirective: () => 'Collect the figures of the day and write the daily report',
	},
];

const byId = new Map(workflows.map((workflow) => [workflow.id, workflow]));

/** Finds one of the saved workflows, which every account has. */
export function findWorkflow(id: string): Workflow | undefined {
	return byId.get(id);
}

/**
 * Maps a payload onto the workflow's parameters, without a language model: by name, from a JSON
 * object or from lines such as `name: value` or `name=value`. Text without a known name becomes the
 * value of the first parameter.
 */
export function mapPayload({ parameters }: Workflow, payload: string): PayloadMapping {
	const values = parseJsonObject(payload) ?? parseLines(payload);
	const named = parameters.map(({ name }) => [name, values.get(name) ?? ''] as const);
	const inputs = Object.fromEntries(named.filter(([, value]) => value !== ''));
	const [first] = parameters;
	if (first && Object.keys(inputs).length === 0 && payload.trim() !== '') {
		inputs[first.name] = payload.trim();
	}
	const missing = parameters.find(({ name, required }) => required && !inputs[name]);
	return missing ? { missing: missing.name } : { inputs };
}

function parseJsonObject(payload: string): Map<string, string> | undefined {
	if (!/^\s*{/.test(payload)) return undefined;
	try {
		const entries = Object.entries(JSON.parse(payload) as Record<string, unknown>);
		return new Map(
			entries.map(([name, value]) => [
				name.toLowerCase(),
				typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value),
			]),
		);
	} catch {
		return undefined;
	}
}

function parseLines(payload: string): Map<string, string> {
	const named = payload.matchAll(/^\s*([\w-]+)\s*[:=][ \t]*(.*)$/gm);
	return new Map([...named].map(([, name = '', value = '']) => [name.toLowerCase(), value.trim()]));
}
