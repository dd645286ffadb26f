import type { ServiceErrorKind } from '../errors/ServiceError';

/** Why there was no answer, in words for the user. */
export interface ConnectionError {
	kind: Extract<ServiceErrorKind, 'unreachable' | 'notSent' | 'timeout' | 'connectionLost'>;
	detail: string;
}

// Node's codes for a request that has not left.
const NEVER_ARRIVED: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'the host name is not known',
	EAI_AGAIN: 'the host name could not be looked up',
	EHOSTUNREACH: 'the host cannot be reached',
	ENETUNREACH: 'the network cannot be reached',
	EPROTO: 'no encrypted connection could be made',
	ERR_SSL_WRONG_VERSION_NUMBER: 'the address does not speak https',
	CERT_HAS_EXPIRED: "the host's certificate has expired",
	CERT_NOT_YET_VALID: "the host's certificate is not valid yet",
	DEPTH_ZERO_SELF_SIGNED_CERT: "the host's certificate is self-signed",
	SELF_SIGNED_CERT_IN_CHAIN: "the host's certificate is self-signed",
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the host's certificate cannot be verified",
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the host's certificate cannot be verified",
	ERR_TLS_CERT_ALTNAME_INVALID: "the host's certificate is for another host",
};

const UNREACHABLE = ['EHOSTUNREACH', 'ENETUNREACH'];

// The last one is what axios says when we have given the request up.
const TOO_LATE = ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ERR_CANCELED'];

const DEEPEST_CAUSE = 5;

/**
 * Reads why a request has got no answer from what n8n's HTTP helper threw: axios's error, or n8n's
 * error around it.
 */
export function toConnectionError(error: unknown): ConnectionError {
	const codes = codesOf(error);

	const neverArrived = codes.find((code) => code in NEVER_ARRIVED && !isOnTheWay(code, error));
	if (neverArrived !== undefined) {
		return { kind: 'unreachable', detail: NEVER_ARRIVED[neverArrived] ?? '' };
	}
	if (codes.some((code) => TOO_LATE.includes(code))) {
		return { kind: 'timeout', detail: 'it took too long' };
	}
	if (codes.length > 0) return { kind: 'connectionLost', detail: 'the connection was closed' };
	// Without a code, n8n or the credential would not send it (a blocked address, say), and says why.
	return { kind: 'notSent', detail: error instanceof Error ? error.message : String(error) };
}

// Also an open connection may lose its way, with the request delivered.
function isOnTheWay(code: string, error: unknown): boolean {
	if (!UNREACHABLE.includes(code)) return false;
	const calls = causesOf(error).map((cause) => ('syscall' in cause ? cause.syscall : undefined));
	return !calls.includes('connect');
}

function codesOf(error: unknown): string[] {
	return causesOf(error).flatMap((cause) =>
		'code' in cause && typeof cause.code === 'string' ? [cause.code] : [],
	);
}

function causesOf(error: unknown): Error[] {
	const causes: Error[] = [];
	let current: unknown = error;
	while (causes.length < DEEPEST_CAUSE && current instanceof Error) {
		causes.push(current);
		current = current.cause;
	}
	return causes;
}
