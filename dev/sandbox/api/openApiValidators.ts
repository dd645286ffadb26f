import type { RequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types';

import type { Answer } from '../reply';
import { document } from '../document';

interface Violation {
	path: string;
	message: string;
	errorCode?: string;
}

interface Reason {
	/** Of several reasons for one place, the one with the highest rank tells the most. */
	rank: number;
	type: string;
	msg: string;
}

const validators = new Map<boolean, RequestHandler[]>();

/** Checks requests and, if wanted, answers against the document. Made once, since that takes a while. */
export function documentValidators(validateResponses: boolean): RequestHandler[] {
	let handlers = validators.get(validateResponses);
	if (!handlers) {
		handlers = middleware({
			// The validator writes into the document it is given.
			apiSpec: structuredClone(document) as unknown as OpenAPIV3.DocumentV3_1,
			validateRequests: { allowUnknownQueryParameters: true, allErrors: true },
			validateResponses,
			validateSecurity: false,
			fileUploader: false,
		});
		validators.set(validateResponses, handlers);
	}
	return handlers;
}

/** A body that is not JSON; `position` is where it stops being so. */
export function invalidJson(position: number): Answer {
	const msg = 'JSON decode error';
	return {
		status: 422,
		json: { detail: [{ loc: ['body', position], msg, type: 'json_invalid' }] },
	};
}

/**
 * The validator's findings in the service's words: one reason for each place, and none for a place
 * that holds a place with a reason of its own. Nothing of the request is repeated.
 */
export function validationFailure(violations: Violation[]): Answer {
	const reasons = new Map<string, Reason>();
	for (const violation of violations) {
		const reason = toReason(violation);
		const known = reasons.get(violation.path);
		if (!known || reason.rank > known.rank) reasons.set(violation.path, reason);
	}
	const places = [...reasons.keys()];
	const detail = [...reasons]
		.filter(([path]) => !places.some((place) => place.startsWith(`${path}/`)))
		.map(([path, { msg, type }]) => ({ loc: toLocation(path), msg, type }));
	return { status: 422, json: { detail } };
}

function toReason({ message, errorCode = '' }: Violation): Reason {
	const keyword = errorCode.split('.')[0];
	const value = message.split(' ').at(-1) ?? '';
	switch (keyword) {
		case 'required':
			return { rank: 3, type: 'missing', msg: 'Field required' };
		case 'enum': {
			const allowed = message.replace(/^.*: /, '');
			return { rank: 3, type: 'literal_error', msg: `Input should be one of: ${allowed}` };
		}
		case 'minimum': {
			const msg = `Input should be greater than or equal to ${value}`;
			return { rank: 3, type: 'greater_than_equal', msg };
		}
		case 'maximum': {
			const msg = `Input should be less than or equal to ${value}`;
			return { rank: 3, type: 'less_than_equal', msg };
		}
		case 'type': {
			const type = value.replace(/,?null$/, '');
			return type === ''
				? { rank: 0, type: 'none_required', msg: 'Input should be null' }
				: { rank: 2, type: `${type}_type`, msg: `Input should be a valid ${type}` };
		}
		default:
			return { rank: 1, type: 'value_error', msg: 'Input should have the documented shape' };
	}
}

function toLocation(path: string): Array<string | number> {
	const parts = path.split('/').filter((part) => part !== '');
	return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
