import { messageOf, type ServiceErrorKind } from '../errors/ServiceError';

/** Why there was no response, in the user's terms. */
export interface ConnectionError {
	kind: ServiceErrorKind;
	detail: string;
}

// Failures of looking up the name and of the certificate: Node.js raises them before it writes the
// request, so they prove that nothing arrived.
const BEFORE_REQUEST = new Map([
	['ENOTFOUND', 'the host name is unknown'],
	['EAI_AGAIN', 'the host name could not be looked up'],
	['ECONNREFUSED', 'the connection was refused'],
	['CERT_HAS_EXPIRED', "the host's certificate has expired"],
	['CERT_NOT_YET_VALID', "the host's certificate is not valid yet"],
	['DEPTH_ZERO_SELF_SIGNED_CERT', "the host's certificate is self-signed"],
	['SELF_SIGNED_CERT_IN_CHAIN', "the host's certificate is self-signed"],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', "the host's certificate can't be verified"],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', "the host's certificate can't be verified"],
	['ERR_TLS_CERT_ALTNAME_INVALID', "the host's certificate is for another host"],
]);

// These prove it only while connecting: an open connection can also lose its route.
const WHILE_CONNECTING = new Map([
	['EHOSTUNREACH', 'the host is unreachable'],
	['ENETUNREACH', 'the network is unreachable'],
	['ETIMEDOUT', 'the connection attempt timed out'],
]);

// The last one is how axios reports that we have aborted the request.
const TIMEOUT = ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ERR_CANCELED'];

// These can happen later, too: something on the way may write plain text into an open connection.
const ENCRYPTION = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'];

const MAX_CAUSES = 5;

/**
 * Reads why a request has got no response from what n8n's HTTP helper has thrown: an error of axios,
 * or one of n8n around it.
 */
export function toConnectionError(error: unknown): ConnectionError {
	const causes = causesOf(error);
	const codes = causes.flatMap((cause) => propertyOf(cause, 'code') ?? []);
	const isConnecting = causes.some((cause) => propertyOf(cause, 'syscall') === 'connect');

	for (const code of codes) {
		const detail =
			BEFORE_REQUEST.get(code) ?? (isConnecting ? WHILE_CONNECTING.get(code) : undefined);
		if (detail !== undefined) return { kind: 'unreachable', detail };
	}
	if (codes.some((code) => TIMEOUT.includes(code))) {
		return { kind: 'timeout', detail: 'it took too long' };
	}
	if (codes.some((code) => ENCRYPTION.includes(code))) {
		return { kind: 'encryptionFailed', detail: 'the encryption failed' };
	}
	if (codes.length > 0) return { kind: 'connectionLost', detail: 'the connection was closed' };
	// An error without a code: n8n or the credential has refused to send the request, e.g. to a blocked address.
	return { kind: 'notSent', detail: messageOf(error) };
}

function causesOf(error: unknown): Error[] {
	const causes: Error[] = [];
	let current: unknown = error;
	while (causes.length < MAX_CAUSES && current instanceof Error) {
		causes.push(current);
		current = current.cause;
	}
	return causes;
}

function propertyOf(error: Error, name: 'code' | 'syscall'): string | undefined {
	const value = (error as NodeJS.ErrnoException)[name];
	return typeof value === 'string' ? value : undefined;
}
