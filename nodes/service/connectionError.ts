import { messageOf, type ServiceErrorKind } from '../errors/ServiceError';
import { causesOf } from '../errors/toNodeError';

// Node.js raises these errors before it writes the request, so they prove that nothing arrived.
const BEFORE_REQUEST = new Map([
	['ENOTFOUND', 'the host name is unknown'],
	['EAI_AGAIN', 'the host name could not be looked up'],
	['ECONNREFUSED', 'the connection was refused'],
]);
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|ERR_TLS_CERT_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT)/;

// The last code is how Axios reports that we aborted the request.
const TIMEOUT = ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ERR_CANCELED'];

// These can happen after the request was sent: an intermediary may write plain text into an open
// connection.
const ENCRYPTION = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'];

/**
 * Returns why a request got no response. `error` is what n8n's HTTP helper threw: an Axios error,
 * or an error that wraps one. `detail` may contain secrets if the kind is `notSent`.
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
	// Without a code, n8n or the credential refused to send the request, e.g. to a blocked host.
	return { kind: 'notSent', detail: messageOf(error) };
}
