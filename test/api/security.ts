import { PRO, http, setUpSandbox } from './setUpSandbox';

const HOST_ERROR = "The Host header must be the sandbox's own loopback address and port";
const ORIGIN_ERROR = 'The sandbox does not accept requests from other origins';

const sandbox = setUpSandbox();

describe('Sandbox security', () => {
	it('neither runs nor logs a request that it refuses', async () => {
		const headers = { Authorization: `Bearer ${PRO}`, Origin: 'https://evil.example' };

		await http.post(`${sandbox.url}/v1/run_browser_agent`, { directive: 'Look' }, { headers });

		expect(await sandbox.admin.jobs()).toEqual([]);
		expect(await sandbox.admin.requests()).toEqual([]);
	});
});

describe.each([
	['the service', () => `${sandbox.url}/v1/health`],
	['the admin API', () => `${sandbox.url}/_sandbox/counters`],
	['the job files', () => `${sandbox.filesUrl}/`],
])('Sandbox security of %s', (_target, url) => {
	it.each([
		['Host: rebound.example:PORT', HOST_ERROR],
		['Host: 127.0.0.1:1', HOST_ERROR],
		['Origin: https://evil.example', ORIGIN_ERROR],
		['Origin: http://127.0.0.1:1', ORIGIN_ERROR],
		['Origin: null', ORIGIN_ERROR],
	])('refuses %s', async (header, detail) => {
		const { status, data } = await http.get(url(), { headers: headersFrom(header, url()) });

		expect(status).toBe(403);
		expect(data).toEqual({ detail, status_code: 403 });
	});
});

/** Parses `Name: value` and fills in the port of the URL. */
function headersFrom(text: string, url: string): Record<string, string> {
	return Object.fromEntries([text.replace('PORT', new URL(url).port).split(/: /)]);
}
