const REGISTERED_WITHIN_MS = 30_000;

/**
 * Calls the webhook at `path` of an n8n and returns its answer. Right after its start n8n may not
 * have registered its webhooks yet and answers 404: then the call is retried for half a minute.
 */
export async function callWebhook(n8nUrl: string, path: string, body: object): Promise<unknown> {
	for (const deadline = Date.now() + REGISTERED_WITHIN_MS; ;) {
		const response = await fetch(`${n8nUrl}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		if (response.ok) return await response.json();
		if (response.status !== 404 || Date.now() > deadline) {
			throw new Error(`The webhook answered ${response.status}: ${await response.text()}`);
		}
		await new Promise((resolve) => setTimeout(resolve, 500));
	}
}
