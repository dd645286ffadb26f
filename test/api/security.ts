import type { Api } from './Api';
import { http } from './client';

/** Tests that web pages in somebody's browser are kept away. */
export function testSecurity(api: Api): void {
	const { driver } = api;

	it('A request with the key from a foreign page starts no job', async () => {
		const headers = { Authorization: `Bearer ${driver.key}`, Origin: 'https://evil.example' };

		const { status } = await http.post(
			`${driver.url}/v1/run_browser_agent`,
			{ directive: 'Look' },
			{ headers },
		);

		expect(status).toBe(403);
		expect(await driver.countJobs()).toBe(0);
	});

	it('A request whose Host is localhost is answered as one to the address', async () => {
		const { port } = new URL(driver.url);

		const { status } = await http.get(`${driver.url}/v1/health`, {
			headers: { Host: `localhost:${port}` },
		});

		expect(status).toBe(200);
	});

	describe.each([
		['the service', () => `${driver.url}/v1/health`],
		['the job files', () => `${driver.filesUrl}/files/job_1/0`],
		...driver.otherUrls,
	])('A request from a web page to %s', (_target, url) => {
		const HOST = /^The Host header must be /;
		const ORIGIN = / does not accept requests from other origins$/;

		it.each([
			['Host: rebound.example:PORT', HOST],
			['Host: 127.0.0.1.rebound.example:PORT', HOST],
			['Host: 127.0.0.1:1', HOST],
			['Origin: https://evil.example', ORIGIN],
			['Origin: http://127.0.0.1:1', ORIGIN],
			['Origin: null', ORIGIN],
		])('is refused with %s', async (header, detail) => {
			const { status, data } = await http.get(url(), { headers: headersFrom(header, url()) });

			expect(status).toBe(403);
			expect(data).toEqual({ detail: expect.stringMatching(detail), status_code: 403 });
		});
	});
}

/** Parses `Name: value` and fills in the port of the URL. */
function headersFrom(text: string, url: string): Record<string, string> {
	return Object.fromEntries([text.replace('PORT', new URL(url).port).split(/: /)]);
}
