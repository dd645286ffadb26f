import { messageOf, type ServiceErrorKind } from '../errors/ServiceError';
import { causesOf } from '../errors/toNodeError';

// Node.js raises these before it writes the request, so they prove that nothing arrived.
const BEFORE_REQUEST = new Map([
	['ENOTFOUND', 'the host name is unknown'],
	['EAI_AGAIN', 'the host name could not be looked up'],
	['ECONNREFUSED', 'the connection was refused'],
]);
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|ERR_TLS_CERT_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT)/;

// The last one is how axios reports that we have aborted the request.
const TIMEOUT = ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ERR_CANCELED'];

// These can happen later, too: something on the way may write plain text into an open connection.
const ENCRYPTION = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'];

/**
 * Why a request has got no response, from an error of n8n's HTTP helper: one of axios, or one
 * around it.
 */
export function toConnectionError(error: unknown): { kind: ServiceErrorKind; detail: string } {
	const causes = causesOf(error) as NodeJS.ErrnoException[];
	const codes = causes.map(({ code }) => code).filter((code) => typeof code === 'string');
	for (const code of codes) {
		const detail = BEFORE_REQUEST.get(code);
		if (detail !== undefined) return { kind: 'unreachable', detail };
		if (CERTIFICATE.test(code)) {
			return { kind: 'unreachable', detail: `the host's certificate is not accepted (${code})` };
		}
	}
	const failed = causes.find(({ syscall }) => syscall === 'connect');
	if (failed !== undefined) {
		return { kind: 'unreachable', detail: `the connection could not be made (${failed.code})` };
	}
	if (codes.some((code) => TIMEOUT.includes(code))) {
		return { kind: 'timeout', detail: 'it took too long' };
	}
	if (codes.some((code) => ENCRYPTION.includes(code))) {
		return { kind: 'encryptionFailed', detail: 'the encryption failed' };
	}
	if (codes.length > 0) return { kind: 'connectionLost', detail: 'the connection was closed' };
	// An error without a code: n8n or the credential has refused to send the request, e.g. to a
	// blocked address.
	return { kind: 'notSent', detail: messageOf(error) };
}
