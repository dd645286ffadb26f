import type { IExecuteFunctions } from 'n8n-workflow';

import { asThrown, ServiceError } from '../errors/ServiceError';
import type { Clock } from '../async/clock';
import { isSameOrigin } from './baseUrl';
import { failedAnswer, sendOnce, type HttpAnswer, type Send } from './HttpClient';
import type { Secrets } from './redact';

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
	const opened = await follow(connection, toFileUrl(link, connection.baseUrl), options.signal);
	const length = Number(opened.headers['content-length'] ?? NaN);
	if (options.maxBytes !== undefined && length > options.maxBytes) {
		opened.giveUp();
		throw new ServiceError({ kind: 'tooLarge' });
	}
	return guard(opened, options, connection.clock);
}

/** An answer whose body has not been read yet. */
interface Opened extends HttpAnswer {
	source: FileStream;
	/** Closes the connection. To be called unless the body is read to its end. */
	giveUp(): void;
}

async function follow(
	{ baseUrl, sendSigned, sendOpen, secrets, clock }: DownloadConnection,
	first: URL,
	signal: AbortSignal | undefined,
): Promise<Opened> {
	let url = first;
	for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
		const send = redirects === 0 && isSameOrigin(url.href, baseUrl) ? sendSigned : sendOpen;
		const opened = await open(send, url, signal, secrets);
		const { statusCode, headers } = opened;
		if (statusCode >= 200 && statusCode < 300) return opened;

		opened.giveUp();
		const isRedirect = statusCode >= 300 && statusCode < 400;
		if (!isRedirect || typeof headers.location !== 'string') {
			throw failedAnswer({ statusCode, headers, body: undefined }, secrets, () => clock.now());
		}
		url = toFileUrl(headers.location, url.href);
	}
	throw new ServiceError({
		kind: 'invalidLink',
		detail: `it redirects more than ${MOST_REDIRECTS} times`,
	});
}

async function open(
	send: Send,
	url: URL,
	signal: AbortSignal | undefined,
	secrets: Secrets,
): Promise<Opened> {
	const own = new AbortController();
	const answer = await sendOnce(
		send,
		{
			method: 'GET',
			url: url.href,
			timeoutMs: LONGEST_SILENCE_MS,
			asStream: true,
			signal: signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]),
		},
		secrets,
	);
	const source = answer.body as FileStream;
	return {
		...answer,
		source,
		// n8n's stream stands before the connection's: destroyed while it waits for a byte, it would go
		// on waiting, and destroyed before it was read, it would leave the connection open.
		giveUp() {
			own.abort();
			source.destroy();
		},
	};
}

function toFileUrl(link: string, base: string): URL {
	let url: URL;
	try {
		url = new URL(link, `${base}${base.endsWith('/') ? '' : '/'}`);
	} catch {
		throw asThrown(new ServiceError({ kind: 'invalidLink', detail: 'its link is no address' }));
	}
	if (!['http:', 'https:'].includes(url.protocol)) {
		throw new ServiceError({ kind: 'invalidLink', detail: 'its link is no web address' });
	}
	return url;
}

// What has a fault fails before its end: n8n would keep a stream that just ends as a whole file.
// That a body is shorter than its `Content-Length` is seen by Node.js, which then breaks it.
function guard(opened: Opened, { signal, maxBytes }: DownloadOptions, clock: Clock): OpenFile {
	const { source } = opened;
	const over = new AbortController();
	let received = 0;
	let isWhole = false;
	let fault: ServiceError | undefined;
	let waitingSince: number | undefined;

	const fail = (kind: ServiceError['kind']): ServiceError => {
		fault ??= new ServiceError({ kind: signal?.aborted ? 'stopped' : kind });
		return fault;
	};

	// Only while somebody waits for a byte: a slow disk is no silence.
	const watchSilence = async () => {
		while (!over.signal.aborted) {
			await clock.sleep(LONGEST_SILENCE_MS / LOOKS_AT_SILENCE, over.signal);
			const silentMs = waitingSince === undefined ? 0 : clock.now() - waitingSince;
			if (over.signal.aborted || silentMs < LONGEST_SILENCE_MS) continue;
			fail('timeout');
			opened.giveUp();
		}
	};

	async function* counted(): AsyncGenerator<Buffer> {
		waitingSince = clock.now();
		try {
			for await (const chunk of source) {
				waitingSince = undefined;
				received += (chunk as Buffer).length;
				if (maxBytes !== undefined && received > maxBytes) throw fail('tooLarge');
				yield chunk as Buffer;
				waitingSince = clock.now();
			}
			isWhole = true;
		} catch (error) {
			// Who has a chunk in hand and throws is the reader, about something of its own.
			throw asThrown(waitingSince === undefined ? error : fail('connectionLost'));
		} finally {
			over.abort();
		}
	}

	void watchSilence();
	// It may break before anybody reads it, and Node.js ends the process for an error nobody hears.
	source.on('error', () => {});
	return {
		stream: streamFrom(source, counted()),
		mimeType: mimeTypeOf(opened),
		receivedBytes: () => received,
		fault: () => fault,
		close() {
			over.abort();
			if (!isWhole) opened.giveUp();
		},
	};
}

// The stream's own class makes it, since `node:stream` is not to be had on n8n Cloud. `compose` would
// hand on the source's errors past the generator.
function streamFrom(source: FileStream, chunks: AsyncIterable<Buffer>): FileStream {
	const { from } = source.constructor as unknown as {
		from: (chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }) => FileStream;
	};
	return from(chunks, { objectMode: false });
}

function mimeTypeOf({ headers }: HttpAnswer): string | undefined {
	const type =
		String(headers['content-type'] ?? '')
			.split(';')[0]
			?.trim()
			.toLowerCase() ?? '';
	return /^[\w.+-]+\/[\w.+-]+$/.test(type) && !SAYS_NOTHING.includes(type) ? type : undefined;
}
