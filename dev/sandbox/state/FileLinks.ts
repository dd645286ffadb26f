import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { extname } from 'node:path';

import { type Answer, type Content, bufferContent, problem } from '../reply';
import { generatedBytes } from '../generatedBytes';
import type { Job } from './Job';
import type { FileScript } from '../types';

const DEFAULT_EXPIRY_SECONDS = 3600;

const TYPES: Record<string, string> = {
	'.csv': 'text/csv',
	'.html': 'text/html',
	'.json': 'application/json',
	'.pdf': 'application/pdf',
	'.png': 'image/png',
	'.txt': 'text/plain',
};

/** Links of one sandbox: only it can sign them, and each is good until its own moment. */
export class FileLinks {
	private readonly secret = randomBytes(32);

	/** The files as a job lists them, with fresh links to the origin. */
	list(job: Job, origin: string, now: number): object[] {
		return job.files.map((file, index) => {
			const expiresIn = file.expiresInSeconds ?? DEFAULT_EXPIRY_SECONDS;
			return {
				filename: file.filename,
				download_url: file.downloadUrl ?? this.sign(job, index, origin, now + expiresIn * 1000),
				expires_in: expiresIn,
			};
		});
	}

	/** The file, or why a link does not lead to it. */
	open(job: Job, index: number, query: URLSearchParams, now: number): Answer {
		const expires = Number(query.get('expires'));
		const signature = Buffer.from(query.get('signature') ?? '');
		const expected = Buffer.from(this.signature(job.id, index, expires));
		const isGenuine = signature.length === expected.length && timingSafeEqual(signature, expected);
		if (!isGenuine) return problem(403, 'The signature of this link does not match');
		if (now >= expires) return problem(403, 'This link has expired');
		const file = job.files[index];
		return file ? { status: 200, content: contentOfFile(file) } : problem(404);
	}

	private sign(job: Job, index: number, origin: string, expiresAt: number): string {
		const expires = Math.floor(expiresAt);
		const signature = this.signature(job.id, index, expires);
		return `${origin}/files/${job.id}/${index}?expires=${expires}&signature=${signature}`;
	}

	private signature(jobId: string, index: number, expires: number): string {
		return createHmac('sha256', this.secret).update(`${jobId}/${index}/${expires}`).digest('hex');
	}
}

function contentOfFile(file: FileScript): Content {
	return {
		...contentWithoutType(file),
		type:
			file.contentType ?? TYPES[extname(file.filename).toLowerCase()] ?? 'application/octet-stream',
		hidesSize: file.withoutContentLength,
	};
}

function contentWithoutType({ content, contentBase64, sizeBytes = 0 }: FileScript): Content {
	if (content !== undefined) return bufferContent(Buffer.from(content));
	if (contentBase64 !== undefined) return bufferContent(Buffer.from(contentBase64, 'base64'));
	return { type: '', sizeBytes, chunks: () => generatedBytes(sizeBytes) };
}
