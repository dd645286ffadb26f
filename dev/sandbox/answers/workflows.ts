import { Refusal, type Workflow } from '../../../api/backend';
import { asFields, type Fields } from '../../../api/operations/bodyFields';

type Inputs = Record<string, string>;

interface Parameter {
	name: string;
	required?: boolean;
}

interface SavedWorkflow {
	id: string;
	parameters: Parameter[];
	toDirective(inputs: Inputs): string;
}

const workflows: SavedWorkflow[] = [
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
	const workflow = workflows.find((saved) => saved.id === id);
	return workflow && { toTask: (payload) => toTask(workflow, payload) };
}

function toTask({ parameters, toDirective }: SavedWorkflow, payload: string) {
	const inputs = mapPayload(parameters, payload);
	const missing = parameters.find(({ name, required }) => required && !inputs[name]);
	if (missing) {
		throw new Refusal(400, `The payload has no value for the parameter '${missing.name}'`);
	}
	return { inputs, directive: toDirective(inputs) };
}

/** Maps a JSON object onto the parameters by name, any other text onto the first one. */
function mapPayload(parameters: Parameter[], payload: string): Inputs {
	const values = readFields(payload) ?? { [parameters[0]?.name ?? '']: payload.trim() };
	const named = parameters.map(({ name }) => [name, String(values[name] ?? '')]);
	return Object.fromEntries(named.filter(([, value]) => value !== '')) as Inputs;
}

function readFields(payload: string): Fields | undefined {
	try {
		return asFields(JSON.parse(payload));
	} catch {
		return undefined;
	}
}
