import type { RequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types';

import { document } from '../document';

let validators: RequestHandler[] | undefined;

/**
 * Returns middleware that checks requests and responses against the OpenAPI document. It passes
 * violations on as an error with a list of `errors`. Compiling the schemas is slow, so all sandboxes of
 * a process share it.
 */
export function openApiValidators(): RequestHandler[] {
	validators ??= middleware({
		// The validator changes the document that it is given.
		apiSpec: structuredClone(document) as unknown as OpenAPIV3.DocumentV3_1,
		validateRequests: { allowUnknownQueryParameters: true, allErrors: true },
		validateResponses: true,
		validateSecurity: false,
		// That takes a quarter of a second at each start; a test does it.
		validateApiSpec: false,
		fileUploader: false,
	});
	return validators;
}
