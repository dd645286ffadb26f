import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import type { Job } from './Job';

const DEFAULT_EXPIRY_SECONDS = 3600;

/** Signs and verifies the download links of one sandbox. Times are sandbox time in ms since 1970. */
export class FileLinks {
	private readonly secret = randomBytes(32);

	/** Returns the job's files in the wire format, with new links to `origin`. */
	listFiles(job: Job, origin: string, now: number): object[] {
		return job.files.map((file, index) => {
			const expiresIn = file.expiresInSeconds ?? DEFAULT_EXPIRY_SECONDS;
			return {
				filename: file.filename,
				download_url:
					file.downloadUrl ?? this.createLink(job, index, origin, now + expiresIn * 1000),
				expires_in: expiresIn,
			};
		});
	}

	/** Checks the query of a link to the job's file with this index. */
	verify(
		job: Job,
		index: number,
		query: URLSearchParams,
		now: number,
	): 'valid' | 'forged' | 'expired' {
		const expires = Number(query.get('expires'));
		const signature = Buffer.from(query.get('signature') ?? '');
		const expected = Buffer.from(this.sign(job.id, index, expires));
		if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
			return 'forged';
		}
		return now < expires ? 'valid' : 'expired';
	}

	private createLink(job: Job, index: number, origin: string, expiresAt: number): string {
		const expires = Math.floor(expiresAt);
		const signature = this.sign(job.id, index, expires);
		return `${origin}/files/${job.id}/${index}?expires=${expires}&signature=${signature}`;
	}

	private sign(jobId: string, index: number, expires: number): string {
		return createHmac('sha256', this.secret).update(`${jobId}/${index}/${expires}`).digest('hex');
	}
}
