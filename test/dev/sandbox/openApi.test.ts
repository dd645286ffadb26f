import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import { parse } from 'yaml';

import { PRO, setUpSandbox } from './setUpSandbox';

const document = parse(readFileSync(join(__dirname, '../../../dev/sandbox/openapi.yaml'), 'utf8'));
const { securitySchemes } = document.components;

describe('The OpenAPI document', () => {
	it('is valid OpenAPI', () => {
		const validator = new OpenAPISchemaValidator({
			version: document.openapi,
			validateApiSpec: true,
		});

		expect(validator.validate(document)).toEqual({ errors: [] });
	});

	it('requires a bearer key except for the health endpoint', () => {
		expect(securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
		expect(document.security).toEqual([{ apiKey: [] }]);
		expect(document.paths['/v1/health'].get.security).toEqual([]);
	});
});

describe('Sandbox response validation', () => {
	const sandbox = setUpSandbox();

	it('turns a response that violates the document into a 500', async () => {
		// The document requires whole numbers of credits.
		await sandbox.admin.setCredits(PRO, 0.5);

		const { status, data } = await sandbox.client.balance();

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
