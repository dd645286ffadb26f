import axios from 'axios';

/** Sends requests, and returns responses of any status. Text is sent as it is. */
export const http = axios.create({
	proxy: false,
	maxRedirects: 0,
	validateStatus: () => true,
	headers: { 'Content-Type': 'application/json' },
	transformRequest: (data: unknown) =>
		data === undefined || typeof data === 'string' ? data : JSON.stringify(data),
});

export type Client = ReturnType<typeof createClient>;

/** Creates a client that shares no code with the nodes. It returns responses of any status. */
export function createClient(url: string, key?: string) {
	const headers = {
		'Content-Type': 'application/json',
		...(key !== undefined && { Authorization: `Bearer ${key}` }),
	};
	const get = async (path: string) => await http.get(url + path, { headers });
	const post = async (path: string, body?: unknown) =>
		await http.post(url + path, body, { headers });
	return {
		start: (body: unknown = { directive: 'Look around' }) => post('/v1/run_browser_agent', body),
		status: (jobId: string) => get(`/v1/get_job_status/${jobId}`),
		pause: (jobId: string) => post(`/v1/pause_job/${jobId}`),
		resume: (jobId: string) => post(`/v1/resume_job/${jobId}`),
		files: (jobId: string) => get(`/v1/get_job_files/${jobId}`),
		runWorkflow: (id: string, body: unknown = {}) =>
			post(`/workflows/run-with-payload/${id}`, body),
		balance: () => get('/v1/get_credit_balance'),
		health: () => get('/v1/health'),
	};
}
