import { messageOf, type ServiceErrorFacts, type ServiceErrorKind } from '../errors/ServiceError';
import { causesOf } from '../errors/toNodeError';

// Node.js raises these errors before it writes the request, so they prove that nothing arrived. Any
// other error may follow a request that was processed: an intermediary may break TLS on an open
// connection.
const NOT_CONNECTED = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'];
const REFUSED_CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|UNABLE_TO_)/;
const TIMEOUT = ['ETIMEDOUT', 'ESOCKETTIMEDOUT'];
// How Axios reports that a limit of ours has ended the request.
const ABORTED = ['ERR_CANCELED', 'ECONNABORTED'];

/**
 * Returns why a request got no response. `error` is what n8n's HTTP helper threw: an Axios error,
 * or an error that wraps one. `detail` is the message of Node.js with its code, which names what
 * could not be reached. If the kind is `notSent`, it is anybody's, and may contain secrets.
 */
export function toConnectionError(
	error: unknown,
): Pick<ServiceErrorFacts, 'kind' | 'code' | 'detail'> {
	const failure = codedErrorsIn(error).at(-1);
	// Without a code, n8n or the credential refused to send the request, e.g. to a blocked host.
	if (failure === undefined) return { kind: 'notSent', detail: messageOf(error) };
	const { code, message } = failure;
	// Without a detail: Axios calls this "canceled", by which n8n would recognize a Stop.
	if (ABORTED.includes(code)) return { kind: 'timeout' };
	const detail = message.includes(code) ? message : `${message} (${code})`;
	return { kind: kindOfFailure(failure), code, detail };
}

/** An error of Node.js, which says what failed. */
interface CodedError extends Error {
	code: string;
	/** What the system was asked for. */
	syscall?: string;
}

/**
 * Returns the errors with a code among an error and its causes, the root cause last. A name may
 * have several addresses. If none can be reached, each has an error of its own.
 */
function codedErrorsIn(error: unknown): CodedError[] {
	return causesOf(error)
		.flatMap((cause): unknown[] => (cause instanceof AggregateError ? cause.errors : [cause]))
		.filter((cause): cause is CodedError => typeof (cause as CodedError).code === 'string');
}

function kindOfFailure({ code, syscall }: CodedError): ServiceErrorKind {
	const isNotConnected = NOT_CONNECTED.includes(code) || syscall === 'connect';
	if (isNotConnected || REFUSED_CERTIFICATE.test(code)) return 'unreachable';
	return TIMEOUT.includes(code) ? 'timeout' : 'connectionLost';
}
