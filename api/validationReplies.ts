import type { Reply } from './reply';

/** An error of the OpenAPI validator; `path` is like `/body/browser_config/width`. */
interface Violation {
	path: string;
	message: string;
	/** The keyword that does not hold, with a suffix: `minimum.openapi.validation`. */
	errorCode?: string;
}

/** Creates the 422 for a body that is not JSON; `position` is the offset of the syntax error. */
export function invalidJsonReply(position: number): Reply {
	const msg = 'JSON decode error';
	return {
		status: 422,
		json: { detail: [{ loc: ['body', position], msg, type: 'json_invalid' }] },
	};
}

/** Creates the 422 for violations: one entry for each innermost location. */
export function validationReply(violations: Violation[]): Reply {
	const paths = new Set(violations.map(({ path }) => path));
	const detail = [...paths]
		.filter((path) => ![...paths].some((other) => other.startsWith(`${path}/`)))
		.map((path) => {
			const own = violations.filter((violation) => violation.path === path);
			const msg = [...new Set(own.map(({ message }) => message))].join(', or ');
			const type = own[0]?.errorCode?.split('.')[0] ?? 'invalid';
			return { loc: path.split('/').slice(1), msg, type };
		});
	return { status: 422, json: { detail } };
}
