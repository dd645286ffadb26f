import { messageOf, type ServiceErrorKind } from '../errors/ServiceError';
import { causesOf } from '../errors/toNodeError';
import { isIpAddress } from './internalHosts';

// Node.js raises these errors before it writes the request, so they prove that nothing arrived.
const UNKNOWN_HOST = new Map([
	['ENOTFOUND', 'is unknown'],
	['EAI_AGAIN', 'could not be looked up'],
]);
const REFUSED = 'ECONNREFUSED';
const UNTRUSTED =
	/^(?:(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED)/;
const EXPIRED = /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/;
const OTHER_CERTIFICATE = /^(?:CERT_|UNABLE_TO_|ERR_TLS_CERT_)/;

// The last code is how Axios reports that we aborted the request.
const TIMEOUT = ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ERR_CANCELED'];

const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

// These can happen after the request was sent: an intermediary may write plain text into an open
// connection.
const ENCRYPTION = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'];

/** An error of Node.js. Its fields say what could not be reached. */
interface NetworkError extends NodeJS.ErrnoException {
	/** The name that was looked up. */
	hostname?: string;
	/** Where the connection should have led. */
	address?: string;
	port?: number;
}

/**
 * Returns why a request to `url` got no response. `error` is what n8n's HTTP helper threw: an Axios
 * error, or an error that wraps one. `detail` may contain secrets if the kind is `notSent`.
 */
export function toConnectionError(
	error: unknown,
	url: string,
): { kind: ServiceErrorKind; detail: string } {
	// A name may have several addresses. If none can be reached, each has an error of its own.
	const causes = causesOf(error).flatMap((cause) => [cause, ...errorsIn(cause)]) as NetworkError[];
	const codes = causes.map(({ code }) => code).filter((code) => typeof code === 'string');
	const proxy = proxyIn(causes, url);
	const kind = proxy === undefined ? 'unreachable' : 'proxyUnreachable';
	const ofProxy = proxy === undefined ? '' : ` of the proxy (${proxy})`;
	const connection =
		proxy === undefined ? 'the connection' : `the connection to the proxy (${proxy})`;
	for (const code of codes) {
		const problem = UNKNOWN_HOST.get(code);
		if (problem !== undefined) return { kind, detail: `the host name${ofProxy} ${problem}` };
		if (code === REFUSED) return { kind, detail: `${connection} was refused` };
		const certificateError = toCertificateError(code);
		if (certificateError !== undefined) return certificateError;
	}
	const failed = causes.find(({ syscall }) => syscall === 'connect');
	if (failed !== undefined) {
		return { kind, detail: `${connection} could not be made (${failed.code})` };
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

function toCertificateError(code: string) {
	const certificate = "the host's certificate is not";
	if (UNTRUSTED.test(code)) {
		return { kind: 'untrustedCertificate' as const, detail: `${certificate} trusted (${code})` };
	}
	if (EXPIRED.test(code)) {
		const detail = `${certificate} valid at this time (${code})`;
		return { kind: 'expiredCertificate' as const, detail };
	}
	if (OTHER_CERTIFICATE.test(code)) {
		return { kind: 'unreachable' as const, detail: `${certificate} accepted (${code})` };
	}
	return undefined;
}

/**
 * Returns the proxy that could not be reached, as its name or as address and port; undefined if
 * there was none. Nodes can't read n8n's environment, but what n8n tried to reach is a proxy if it
 * isn't the host of the URL. A proxy with the URL's port is recognized only by its name, or if the
 * URL has a literal address.
 */
function proxyIn(causes: NetworkError[], url: string): string | undefined {
	const { hostname, port, protocol } = new URL(url);
	const askedHost = hostname.replace(/^\[|\]$/g, '');
	const askedPort = Number(port === '' ? DEFAULT_PORTS[protocol] : port);
	const isAddress = isIpAddress(askedHost);
	for (const { hostname: name, address, port: triedPort } of causes) {
		if (name !== undefined && name !== askedHost) return name;
		if (address === undefined || triedPort === undefined) continue;
		if (triedPort === askedPort && !(isAddress && address !== askedHost)) continue;
		return address.includes(':') ? `[${address}]:${triedPort}` : `${address}:${triedPort}`;
	}
	return undefined;
}

function errorsIn(cause: Error): unknown[] {
	return cause instanceof AggregateError ? cause.errors : [];
}
