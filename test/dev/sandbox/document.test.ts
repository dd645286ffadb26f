import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, PRO, startJob } from './client';

const document = parse(readFileSync(join(__dirname, '../../../dev/sandbox/openapi.yaml'), 'utf8'));
const { schemas } = document.components;

describe('the OpenAPI document', () => {
	it('has the endpoints of the service', () => {
		const operations = Object.entries<Record<string, object>>(document.paths).flatMap(
			([path, item]) =>
				Object.keys(item)
					.filter((key) => key !== 'parameters')
					.map((method) => `${method.toUpperCase()} ${path}`),
		);

		expect(operations.sort()).toEqual([
			'GET /v1/get_credit_balance',
			'GET /v1/get_job_files/{job_id}',
			'GET /v1/get_job_status/{job_id}',
			'GET /v1/health',
			'POST /v1/pause_job/{job_id}',
			'POST /v1/resume_job/{job_id}',
			'POST /v1/run_browser_agent',
			'POST /workflows/run-with-payload/{workflow_id}',
		]);
	});

	it('asks for a bearer key everywhere but at the health endpoint', () => {
		expect(document.components.securitySchemes.apiKey).toMatchObject({
			type: 'http',
			scheme: 'bearer',
		});
		expect(document.security).toEqual([{ apiKey: [] }]);
		expect(document.paths['/v1/health'].get.security).toEqual([]);
	});

	it('has the models with their credits per step', () => {
		expect(schemas.RunBrowserAgentRequest.properties.action_selection_model['x-models']).toEqual([
			{ id: 'vendorb/vendorb-3-flash-preview', creditsPerStep: 1 },
			{ id: 'o3', creditsPerStep: 3 },
			{ id: 'vendora-sonnet-4-20250514', creditsPerStep: 5, default: true },
			{ id: 'vendorc-4o', creditsPerStep: 5 },
			{ id: 'vendora-opus-4-1-20250805', creditsPerStep: 25 },
		]);
	});

	it('has the bounds, the countries, the statuses and the rate limits', () => {
		const { properties } = schemas.BrowserConfig;

		expect(properties).toMatchObject({
			width: { minimum: 320, maximum: 4096, default: 1920 },
			height: { minimum: 320, maximum: 4096, default: 1080 },
			max_duration_minutes: { minimum: 1, maximum: 240, default: 30 },
			idle_timeout_minutes: { minimum: 1, maximum: 60, default: 2 },
			residential_ip: {
				oneOf: [
					{ type: 'boolean' },
					{ enum: ['us', 'ca', 'gb', 'de', 'fr', 'au', 'jp', 'in', 'br', 'kr'] },
				],
			},
		});
		expect(schemas.JobRunStatus.enum).toEqual([
			'provisioning',
			'running',
			'completed',
			'failed',
			'user_taken_over',
			'paused',
		]);
		expect(document['x-rate-limits']).toEqual({
			startsPerMinute: 10,
			statusPerMinute: 60,
			balancePerMinute: 60,
		});
	});

	it('is what the answers are held against in tests', async () => {
		const accounts = [{ key: 'half', plan: 'pro' as const, credits: 0.5 }];
		const [strict, lenient] = await Promise.all([
			startSandbox({ accounts, validateResponses: true }),
			startSandbox({ accounts }),
		]);

		// Half a credit is no whole number, which the document asks for.
		const broken = await new Client(strict, 'half').balance();
		const unnoticed = await new Client(lenient, 'half').balance();
		const [logged] = await strict.admin.requests();
		await Promise.all([strict.close(), lenient.close()]);

		expect(broken.status).toBe(500);
		expect(broken.data).toEqual({
			detail: expect.stringContaining('credit_balance must be integer'),
			status_code: 500,
		});
		expect(logged?.answered).toBe(500);
		expect(unnoticed.status).toBe(200);
	});

	it('is not what a scripted answer is held against, since scripts are there to break it', async () => {
		const sandbox = await startSandbox({ validateResponses: true });
		const client = new Client(sandbox, PRO);

		const jobId = await startJob(sandbox, client, { statuses: ['queued'], nullFields: ['status'] });
		const { status, data } = await client.status(jobId);
		await sandbox.close();

		expect([status, data.status]).toEqual([200, null]);
	});
});
