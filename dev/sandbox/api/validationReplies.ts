import type { Reply } from '../reply';

/** An error of the OpenAPI validator; `path` is like `/body/browser_config/width`. */
interface Violation {
	path: string;
	message: string;
	errorCode?: string;
}

interface Reason {
	/** Of several reasons for the same location, the one with the highest rank is reported. */
	rank: number;
	type: string;
	msg: string;
}

/** Creates the 422 for a body that is not JSON; `position` is the offset of the syntax error. */
export function invalidJsonReply(position: number): Reply {
	const msg = 'JSON decode error';
	return {
		status: 422,
		json: { detail: [{ loc: ['body', position], msg, type: 'json_invalid' }] },
	};
}

/**
 * Creates the 422 for violations of the document: one reason per location, and none for a location
 * that contains another one with a reason. Values from the request are not repeated.
 */
export function validationReply(violations: Violation[]): Reply {
	const reasons = new Map<string, Reason>();
	for (const violation of violations) {
		const reason = toReason(violation);
		const known = reasons.get(violation.path);
		if (!known || reason.rank > known.rank) reasons.set(violation.path, reason);
	}
	const paths = [...reasons.keys()];
	const detail = [...reasons]
		.filter(([path]) => !paths.some((other) => other.startsWith(`${path}/`)))
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
