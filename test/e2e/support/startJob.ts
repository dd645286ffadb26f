/** Starts a job at the sandbox without n8n; returns its ID. */
export async function startJob(
	sandboxUrl: string,
	directive = 'Describe the page',
): Promise<string> {
	const answer = await fetch(`${sandboxUrl}/v1/run_browser_agent`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-pro-key' },
		body: JSON.stringify({ directive }),
	});
	if (!answer.ok) throw new Error(`The sandbox did not start a job: ${await answer.text()}`);
	const { job_id: jobId } = (await answer.json()) as { job_id: string };
	return jobId;
}
