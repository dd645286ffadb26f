import { asFields, type Fields } from '../../../api/operations/bodyFields';

type Inputs = Record<string, string>;

interface Parameter {
	name: string;
	required?: boolean;
}

interface Workflow {
	id: string;
	parameters: Parameter[];
	toDirective(inputs: Inputs): string;
}

/** The workflow's inputs, or the name of the first required parameter without a value. */
type PayloadMapping = { inputs: Inputs } | { missing: string };

const workflows: Workflow[] = [
	{
		id: 'wf_invoice_download',
		parameters: [{ name: 'vendor', required: true }, { name: 'month' }],
		toDirective: ({ vendor = '', month }) =>
			`Download the invoice of ${vendor} for ${month ?? 'the last month'} as a PDF`,
	},
	{
		id: 'wf_daily_report',
		parameters: [],
		toDirective: () => 'Collect the figures of the day and write the daily report',
	},
];

/** Finds one of the saved workflows, which every account has. */
export function findWorkflow(id: string): Workflow | undefined {
	return workflows.find((workflow) => workflow.id === id);
}

/** Maps a JSON object onto the workflow's parameters by name, any other text onto the first one. */
export function mapPayload({ parameters }: Workflow, payload: string): PayloadMapping {
	const values = readFields(payload) ?? { [parameters[0]?.name ?? '']: payload.trim() };
	const named = parameters.map(({ name }) => [name, String(values[name] ?? '')]);
	const inputs = Object.fromEntries(named.filter(([, value]) => value !== '')) as Inputs;
	const missing = parameters.find(({ name, required }) => required && !inputs[name]);
	return missing ? { missing: missing.name } : { inputs };
}

function readFields(payload: string): Fields | undefined {
	try {
		return asFields(JSON.parse(payload));
	} catch {
		return undefined;
	}
}
