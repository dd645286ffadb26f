import { example } from '../../../dev/n8n/examples';
import { waitFor } from './waitFor';

// n8n does not answer for the page while the workflow runs.
const STATUS = 'n8n-execution-status';

const REQUEST_TIMEOUT_MS = 10_000;
const PAGE_TIMEOUT_MS = 60_000;

/** A form of a published workflow, as the browser of its user sends and shows it. */
export class Form {
	private constructor(private readonly waitingUrl: string) {}

	/** Sends the first page of several, which starts the workflow. */
	static async start(n8nUrl: string, path: string, values: string[]): Promise<Form> {
		const answer = await sendForm(n8nUrl, path, values);
		return new Form((JSON.parse(answer) as { formWaitingUrl: string }).formWaitingUrl);
	}

	/** The next page, once the workflow has reached it. */
	async page(): Promise<string> {
		const statusUrl = new URL(this.waitingUrl);
		statusUrl.pathname += `/${STATUS}`;
		await waitFor(
			async () => (await load(statusUrl)) === 'form-waiting',
			PAGE_TIMEOUT_MS,
			'The workflow reaches a page of its form',
		);
		return await load(this.waitingUrl);
	}

	/** Sends the page that is shown, which has no fields. */
	async submit(): Promise<void> {
		await send(this.waitingUrl, []);
	}
}

/** The path of the form that starts an example. */
export function formPath(exampleId: string, triggerName: string): string {
	const trigger = example(exampleId).nodes.find(({ name }) => name === triggerName);
	return String(trigger?.webhookId);
}

/**
 * Sends the first page, which starts the workflow. `path` is that of its trigger, which n8n
 * registers shortly after its start.
 */
export async function sendForm(n8nUrl: string, path: string, values: string[]): Promise<string> {
	const url = `${n8nUrl}/form/${path}`;
	await waitFor(async () => !(await load(url)).includes('Problem loading form'), PAGE_TIMEOUT_MS);
	return await send(url, values);
}

async function load(url: string | URL): Promise<string> {
	return await (await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })).text();
}

async function send(url: string, values: string[]): Promise<string> {
	const body = new FormData();
	values.forEach((value, index) => body.append(`field-${index}`, value));
	const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
	const response = await fetch(url, { method: 'POST', body, signal });
	const text = await response.text();
	if (!response.ok) throw new Error(`The form answered ${response.status}: ${text}`);
	return text;
}
