import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import { parse } from 'yaml';

import { setUpSandbox } from './setUpSandbox';

const document = parse(readFileSync(join(__dirname, '../../../dev/sandbox/openapi.yaml'), 'utf8'));
const { schemas, securitySchemes } = document.components;

// The expected values are those of the service's own description.
describe('The OpenAPI document', () => {
	it('is valid OpenAPI', () => {
		const validator = new OpenAPISchemaValidator({
			version: document.openapi,
			validateApiSpec: true,
		});

		expect(validator.validate(document)).toEqual({ errors: [] });
	});

	it('has the endpoints of the service', () => {
		const { paths } = document;
		const postPaths = Object.keys(paths).filter((path) => paths[path].post);
		const getPaths = Object.keys(paths).filter((path) => paths[path].get);

		expect(postPaths.sort()).toEqual([
			'/v1/pause_job/{job_id}',
			'/v1/resume_job/{job_id}',
			'/v1/run_browser_agent',
			'/workflows/run-with-payload/{workflow_id}',
		]);
		expect(getPaths.sort()).toEqual([
			'/v1/get_credit_balance',
			'/v1/get_job_files/{job_id}',
			'/v1/get_job_status/{job_id}',
			'/v1/health',
		]);
	});

	it('requires a bearer key except for the health endpoint', () => {
		expect(securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
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

	it('has the bounds and defaults of the browser configuration', () => {
		const countries = ['us', 'ca', 'gb', 'de', 'fr', 'au', 'jp', 'in', 'br', 'kr'];

		expect(schemas.BrowserConfig.properties).toMatchObject({
			width: { minimum: 320, maximum: 4096, default: 1920 },
			height: { minimum: 320, maximum: 4096, default: 1080 },
			max_duration_minutes: { minimum: 1, maximum: 240, default: 30 },
			idle_timeout_minutes: { minimum: 1, maximum: 60, default: 2 },
			residential_ip: { default: false, oneOf: [{ type: 'boolean' }, { enum: countries }] },
			keep_browser_open: { type: 'boolean', default: false },
			use_user_browser_profile: { type: 'boolean', default: false },
		});
	});

	it('has the job statuses and the rate limits', () => {
		const statuses = 'provisioning running completed failed user_taken_over paused';

		expect(schemas.JobRunStatus.enum).toEqual(statuses.split(' '));
		expect(document['x-rate-limits']).toEqual({
			startsPerMinute: 10,
			statusPerMinute: 60,
			balancePerMinute: 60,
		});
	});
});

describe('Sandbox response validation', () => {
	// The document requires whole numbers of credits.
	const accounts = [{ key: 'half', plan: 'pro' as const, credits: 0.5 }];
	const sandbox = setUpSandbox({ accounts });

	it('turns a response that violates the document into a 500', async () => {
		const { status, data } = await sandbox.clientWith('half').balance();

		const detail = expect.stringContaining('credit_balance must be integer');
		expect(status).toBe(500);
		expect(data).toEqual({ detail, status_code: 500 });
		expect(await sandbox.admin.requests()).toMatchObject([{ answered: 500 }]);
	});

	it('leaves scripted responses alone', async () => {
		const jobId = await sandbox.startJob({ statuses: ['queued'], nullFields: ['status'] });

		const { status, data } = await sandbox.client.status(jobId);

		expect([status, data.status]).toEqual([200, null]);
	});
});
