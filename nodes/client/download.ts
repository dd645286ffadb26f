import type { IExecuteFunctions } from 'n8n-workflow';
import type { Readable } from 'node:stream';

import { asThrown, ServiceError } from '../errors/ServiceError';
import type { Clock } from '../jobs/clock';
import { isKeysHome } from './baseUrl';
import { failedAnswer, sendOnce, type HttpAnswer, type Send } from './request';
import type { Secrets } from './secrets';

/** A stream as n8n takes it for binary data. */
export type FileStream = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/** What a download needs of a client's connection. */
export interface DownloadConnection {
	baseUrl: string;
	sendSigned: Send;
	sendOpen: Send;
	secrets: Secrets;
	clock: Clock;
}

export interface DownloadOptions {
	signal?: AbortSignal;
	/** A larger file is given up as soon as it is known to be larger. */
	maxBytes?: number;
}

/** A file that is being received. `stream` fails when it breaks, and when it would come out short. */
export interface OpenFile {
	stream: FileStream;
	/** Without parameters; unset when the answer said nothing of use. */
	mimeType?: string;
	/** How many bytes have come so far. */
	receivedBytes(): number;
	/** Why the stream failed, if it did. */
	fault(): ServiceError | undefined;
	/** To be called when nobody reads the stream any more. */
	close(): void;
}

const LONGEST_SILENCE_MS = 30_000;
const LOOKS_AT_SILENCE = 30;
const MOST_REDIRECTS = 5;
const SAYS_NOTHING = ['application/octet-stream', 'binary/octet-stream'];

/**
 * Opens a file's link. The key goes along to the base URL's own origin only, and to no redirect.
 * Throws a `ServiceError` when the link is none, when it leads nowhere, and when the file is known
 * to be too large.
 */
export async function openFile(
	connection: DownloadConnection,
	link: string,
	options: DownloadOptions,
): Promise<OpenFile> {
	const answer = await follow(connection, toFileUrl(link, connection.baseUrl), options.signal);
	const source = answer.body as FileStream;
	const expectedBytes = lengthOf(answer, source);
	const { maxBytes } = options;
	if (maxBytes !== undefined && expectedBytes !== undefined && expectedBytes > maxBytes) {
		source.destroy();
		throw new ServiceError({ kind: 'tooLarge' });
	}
	return guard(source, answer, { ...options, expectedBytes, clock: connection.clock });
}

async function follow(
	{ baseUrl, sendSigned, sendOpen, secrets, clock }: DownloadConnection,
	first: URL,
	signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
	let url = first;
	for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
		const send = redirects === 0 && isKeysHome(url.href, baseUrl) ? sendSigned : sendOpen;
		const answer = await sendOnce(
			send,
			{
				method: 'GET',
				url: url.href,
				timeoutMs: LONGEST_SILENCE_MS,
				asStream: true,
				...(signal === undefined ? {} : { signal }),
			},
			secrets,
		);
		if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;

		(answer.body as FileStream).destroy();
		const { location } = answer.headers;
		const isRedirect = answer.statusCode >= 300 && answer.statusCode < 400;
		if (!isRedirect || typeof location !== 'string') {
			throw failedAnswer({ ...answer, body: undefined }, secrets, () => clock.now());
		}
		url = toFileUrl(location, url.href);
	}
	throw new ServiceError({
		kind: 'badLink',
		detail: `it redirects more than ${MOST_REDIRECTS} times`,
	});
}

function toFileUrl(link: string, base: string): URL {
	let url: URL;
	try {
		url = new URL(link, `${base}${base.endsWith('/') ? '' : '/'}`);
	} catch {
		throw asThrown(new ServiceError({ kind: 'badLink', detail: 'its link is no address' }));
	}
	if (!['http:', 'https:'].includes(url.protocol)) {
		throw new ServiceError({ kind: 'badLink', detail: 'its link is no web address' });
	}
	return url;
}

// A body that was sent compressed comes without its raw headers, and longer than they say.
function lengthOf({ headers }: HttpAnswer, source: FileStream): number | undefined {
	const length = Number(headers['content-length'] ?? NaN);
	return 'rawHeaders' in source && Number.isInteger(length) ? length : undefined;
}

interface GuardOptions extends DownloadOptions {
	expectedBytes: number | undefined;
	clock: Clock;
}

// What has a fault fails before its end: n8n would keep a stream that just ends as a whole file.
function guard(
	source: FileStream,
	answer: HttpAnswer,
	{ signal, maxBytes, expectedBytes, clock }: GuardOptions,
): OpenFile {
	const over = new AbortController();
	let received = 0;
	let fault: ServiceError | undefined;
	let waitingSince: number | undefined = clock.now();

	const fail = (kind: ServiceError['kind']): ServiceError => {
		fault ??= new ServiceError({ kind: signal?.aborted ? 'stopped' : kind });
		return fault;
	};

	// Only while a byte is waited for: a slow disk is no silence.
	const watchSilence = async () => {
		while (!over.signal.aborted) {
			await clock.sleep(LONGEST_SILENCE_MS / LOOKS_AT_SILENCE, over.signal);
			const silentMs = waitingSince === undefined ? 0 : clock.now() - waitingSince;
			if (silentMs >= LONGEST_SILENCE_MS) source.destroy(fail('timeout'));
		}
	};

	async function* counted(): AsyncGenerator<Buffer> {
		try {
			for await (const chunk of source) {
				waitingSince = undefined;
				received += (chunk as Buffer).length;
				if (maxBytes !== undefined && received > maxBytes) throw fail('tooLarge');
				yield chunk as Buffer;
				waitingSince = clock.now();
			}
		} catch (error) {
			// Who has a chunk in hand and throws is the reader, about something of its own.
			throw asThrown(waitingSince === undefined ? error : fail('broken'));
		} finally {
			over.abort();
		}
		if (expectedBytes !== undefined && received !== expectedBytes) throw fail('broken');
	}

	void watchSilence();
	// It may break before anybody reads it, and Node.js ends the process for an error nobody hears.
	source.on('error', () => {});
	return {
		// `compose` would hand on the source's own errors, past all of this.
		stream: (source.constructor as typeof Readable).from(counted(), { objectMode: false }),
		mimeType: mimeTypeOf(answer),
		receivedBytes: () => received,
		fault: () => fault,
		close() {
			over.abort();
			source.destroy();
		},
	};
}

function mimeTypeOf({ headers }: HttpAnswer): string | undefined {
	const type =
		String(headers['content-type'] ?? '')
			.split(';')[0]
			?.trim()
			.toLowerCase() ?? '';
	return /^[\w.+-]+\/[\w.+-]+$/.test(type) && !SAYS_NOTHING.includes(type) ? type : undefined;
}
