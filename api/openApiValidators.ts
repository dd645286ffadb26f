import type { RequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types';

import { document } from './document';

let validators: RequestHandler[] | undefined;

/**
 * Returns middleware that passes violations of the OpenAPI document on as an error with `errors`.
 */
export function openApiValidators(): RequestHandler[] {
	// Compiling the schemas is slow, so all sandboxes of a process share them.
	validators ??= middleware({
		// The validator changes the document that it is given.
		apiSpec: structuredClone(document) as unknown as OpenAPIV3.DocumentV3_1,
		validateRequests: { allowUnknownQueryParameters: true, allErrors: true },
		validateResponses: false,
		validateSecurity: false,
		// That takes a quarter of a second at each start; a test does it.
		validateApiSpec: false,
		fileUploader: false,
	});
	return validators;
}
