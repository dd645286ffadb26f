import type { IBinaryData } from 'n8n-workflow';

import { limitConcurrency } from '../async/limitConcurrency';
import { rethrow } from '../async/rethrow';
import { retry } from '../async/retry';
import { NodeFailure } from '../errors/NodeFailure';
import { MAX_NAME_CHARACTERS } from '../errors/plainText';
import { factsOf, ServiceError } from '../errors/ServiceError';
import {
	type Downloaded,
	type FileHead,
	type ReadFile,
	invalidLinkError,
} from '../service/download';
import { READ_POLICY } from '../service/retryPolicies';
import type { JobFile, JobFileList } from '../service/types';
import type { Work } from './Work';

const MAX_CONCURRENT_DOWNLOADS = 3;
// Some services complete the list a moment after the job.
const LIST_DELAY_MS = 2_000;
const WEB_PAGE_NAME = /\.x?html?$/i;
// No program gives such a file as HTML, unlike one for a spreadsheet that is called `export.xls`.
const OTHER_FILE_NAME = /\.(?:pdf|png|jpg|zip|xlsx|docx|csv|json)$/i;

/** Which files to download. */
export interface FileSelection {
	/**
	 * Called with a file's safe name and, unless that is wanted, with the name that the service
	 * lists. If unset, all files are wanted.
	 */
	isWanted?: (filename: string) => boolean;
	/** The maximum size of a file. */
	maxBytes: number;
}

/** A file that was downloaded completely. Its name is safe and unique. */
export interface StoredFile {
	filename: string;
	sizeBytes: number;
	stored: IBinaryData;
}

/** A file that was downloaded, or why it was not: then its name is for a message. */
export type FileResult = StoredFile | { filename: string; error: unknown };

/**
 * Returns the files that a job has so far. With `isFinished`, a list whose call is refused is read
 * once more after two seconds; then the service's 404 means that the job has no files. Throws a
 * `ServiceError` if the files can't be listed, and a `NodeFailure` if they are gone, or if there
 * are more than 1,000.
 */
export async function listJobFiles(
	work: Work,
	jobId: string,
	{ isFinished = false } = {},
): Promise<JobFileList> {
	const { clock, signal } = work.run;
	let list = await readList(work, jobId, (error) => isFinished && error.isRefusal);
	if (list === undefined) {
		await clock.sleep(LIST_DELAY_MS, signal);
		list = await readList(work, jobId, isOwnNotFound);
	}
	return list ?? { job_id: jobId, files: [] };
}

/**
 * Returns the list, or undefined if the call fails with an error that is tolerated. Throws a
 * `NodeFailure` if the service says that the files are gone.
 */
async function readList(
	{ run: { signal }, client }: Work,
	jobId: string,
	isTolerated: (error: ServiceError) => boolean,
): Promise<JobFileList | undefined> {
	try {
		return await client.getJobFiles(jobId, { signal, retry: true });
	} catch (error) {
		if (error instanceof ServiceError && isTolerated(error)) return undefined;
		throw isGone(error) ? goneError(jobId, error) : error;
	}
}

/** Whether the service itself has responded with a 404, not something in front of it. */
function isOwnNotFound({ facts: { statusCode, isFromService } }: ServiceError): boolean {
	return statusCode === 404 && isFromService === true;
}

/** Whether a 410 says that the files are gone. A proxy's page doesn't. */
function isGone(error: unknown): boolean {
	const { statusCode, isPage } = factsOf(error);
	return statusCode === 410 && isPage !== true;
}

function goneError(jobId: string, error: unknown): NodeFailure {
	const { detail, statusCode } = factsOf(error);
	const said = detail === undefined ? '' : ` Response: ${detail}`;
	return new NodeFailure(
		`The files of job ${jobId} are no longer available`,
		{ description: `The service has deleted them.${said}`, jobIds: [jobId], statusCode },
		error,
	);
}

/**
 * Downloads the listed files of a job that are wanted, and returns a result for each, in their
 * order. A web page that arrives in place of another kind of file is an error. Never rejects.
 */
export async function downloadJobFiles(
	work: Work,
	list: JobFileList,
	{ isWanted = () => true, maxBytes }: FileSelection,
): Promise<FileResult[]> {
	const { run, client } = work;
	const links: FileLinks = { list };
	const listed = list.files.map(({ filename }) => filename);
	const names = toSafeFileNames(listed);
	// Redacted before they are shortened, so that no half of a secret is left.
	const shownNames = toSafeFileNames(listed.map((name) => name && client.redactor.redact(name)));
	const wanted = list.files
		.map((file, position) => ({ file, position, filename: names[position] as string }))
		.filter(({ file, filename }) => isWanted(filename) || isWanted(file.filename ?? ''));

	return await limitConcurrency(wanted, MAX_CONCURRENT_DOWNLOADS, async (one) => {
		const { file, position, filename } = one;
		const linkIn = ({ files }: JobFileList) =>
			findSame(file, position, files)?.download_url ?? file.download_url;
		const read: ReadFile<IBinaryData> = async (stream, head) => {
			if (isOtherPage(filename, head)) throw invalidLinkError('its link leads to a web page');
			return await run.storeFile(stream, filename, head.mimeType);
		};
		try {
			const { value, receivedBytes } = await fetchFile(work, links, linkIn, { read, maxBytes });
			return { filename, sizeBytes: receivedBytes, stored: value };
		} catch (error) {
			const shownName = shownNames[position] as string;
			return { filename: client.redactor.toPlainText(shownName, MAX_NAME_CHARACTERS), error };
		}
	});
}

/**
 * Whether a web page has arrived in place of a file: a login page, or the page of a proxy. The file
 * itself may be HTML, whatever its name.
 */
function isOtherPage(filename: string, { mimeType, isRedirected, isOfBaseUrl }: FileHead): boolean {
	if (mimeType !== 'text/html' || WEB_PAGE_NAME.test(filename)) return false;
	return isRedirected || isOfBaseUrl || OTHER_FILE_NAME.test(filename);
}

/** The links of a job's files, which expire. */
interface FileLinks {
	/** The newest list of the files. */
	list: JobFileList;
	/** A newer list that is being read. */
	renewal?: Promise<JobFileList>;
}

/**
 * Fetches a file in up to three tries. A link that has expired or is missing is renewed once, which
 * doesn't count as a try. `linkIn` returns the file's link in a list.
 */
async function fetchFile<T>(
	work: Work,
	links: FileLinks,
	linkIn: (list: JobFileList) => string | undefined,
	{ read, maxBytes }: { read: ReadFile<T>; maxBytes: number },
): Promise<Downloaded<T>> {
	const { run, client } = work;
	const { clock, signal } = run;
	let { list } = links;
	let isRenewed = false;

	const fetchFrom = async (link: string) =>
		await client.fetchFile(link, read, { maxBytes, signal });
	const fetchOnce = async () => {
		const link = linkIn(list);
		try {
			if (link !== undefined) return await fetchFrom(link);
		} catch (error) {
			if (isRenewed || !isExpired(error)) rethrow(error);
		}
		if (!isRenewed) list = await renewLinks(work, links, list);
		isRenewed = true;
		const newLink = linkIn(list);
		if (newLink === undefined) throw invalidLinkError('it has no link');
		return await fetchFrom(newLink);
	};
	return await retry(fetchOnce, { clock, policy: READ_POLICY, signal });
}

/**
 * Returns a list that is newer than `expired`. Files whose links come from the same list share one
 * new list, and its error.
 */
async function renewLinks(
	{ run: { signal }, client }: Work,
	links: FileLinks,
	expired: JobFileList,
): Promise<JobFileList> {
	if (links.list !== expired) return links.list;
	links.renewal ??= client.getJobFiles(expired.job_id, { signal }).finally(() => {
		links.renewal = undefined;
	});
	links.list = await links.renewal;
	return links.list;
}

/** Finds a file in a later list: by its name or, if several have it, by its position as well. */
function findSame(file: JobFile, position: number, files: JobFile[]): JobFile | undefined {
	const sameName = files.filter(({ filename }) => filename === file.filename);
	const same = sameName.length === 1 ? sameName[0] : files[position];
	return same?.filename === file.filename ? same : undefined;
}

/** Whether a new link may help: after any 4xx that is not transient. */
function isExpired(error: unknown): boolean {
	if (!(error instanceof ServiceError) || error.isTransient) return false;
	const { statusCode = 0 } = error.facts;
	return statusCode >= 400 && statusCode < 500;
}

// Control characters, and invisible ones, some of which hide a file's real extension by changing
// the reading direction.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
// As UTF-8 at most 240 bytes: most file systems allow 255.
const MAX_CODE_POINTS = 60;
// What follows the last dot of a longer name is no extension.
const EXTENSION = /\.[^.]{1,20}$/u;

/**
 * Returns names that are safe to store files under, in the same order: without folders, control
 * characters and leading dots, of at most 60 code points, and none of them empty or used twice.
 * Upper and lower case count as the same.
 */
export function toSafeFileNames(names: Array<string | undefined>): string[] {
	// The last number of each name in use.
	const numbers = new Map<string, number>();
	return names.map((name, index) => {
		const safe = toSafeFileName(name ?? '') || `file_${index + 1}`;
		let number = numbers.get(safe.toLowerCase()) ?? 1;
		let unique = safe;
		while (numbers.has(unique.toLowerCase())) unique = withinLimit(safe, ` (${++number})`);
		numbers.set(safe.toLowerCase(), number);
		numbers.set(unique.toLowerCase(), 1);
		return unique;
	});
}

function toSafeFileName(name: string): string {
	const base = name.replace(INVISIBLE, '').split(/[/\\]/).at(-1) ?? '';
	return withinLimit(base.replace(/^[.\s]+/, '').trimEnd());
}

/** Inserts a suffix before the extension, and shortens what is before them if necessary. */
function withinLimit(name: string, suffix = ''): string {
	const [extension = ''] = EXTENSION.exec(name) ?? [];
	const ending = suffix + extension;
	// No code point has more than two characters.
	const stem = [...name.slice(0, name.length - extension.length).slice(0, 2 * MAX_CODE_POINTS)];
	const shortened = stem.slice(0, MAX_CODE_POINTS - [...ending].length).join('');
	// Windows drops a space at the end, and two names could become equal.
	return ending === '' ? shortened.trimEnd() : shortened + ending;
}
