/** Starts a job at the sandbox, as somebody beside n8n would; returns its ID. */
export async function startJob(sandboxUrl: string, directive = 'Look around'): Promise<string> {
	const answer = await fetch(`${sandboxUrl}/v1/run_browser_agent`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-pro-key' },
		body: JSON.stringify({ directive }),
	});
	if (!answer.ok) throw new Error(`The sandbox started nothing: ${await answer.text()}`);
	const { job_id: jobId } = (await answer.json()) as { job_id: string };
	return jobId;
}
