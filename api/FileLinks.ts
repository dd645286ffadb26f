import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import type { JobFile } from './backend';

const DEFAULT_EXPIRY_SECONDS = 3600;

/** Which file a link leads to: its place among those of the job. */
export interface LinkedFile {
	jobId: string;
	index: number;
}

/** The download links of a service. They are signed instead of stored. */
export class FileLinks {
	private readonly key = randomBytes(32);

	/** Returns the job's files in the wire format, with new links to `origin`. */
	listFiles(jobId: string, files: JobFile[], origin: string, now: number): object[] {
		return files.map((file, index) => {
			const expiresIn = file.expiresInSeconds ?? DEFAULT_EXPIRY_SECONDS;
			const path = `/files/${jobId}/${index}?expires=${Math.floor(now + expiresIn * 1000)}`;
			return {
				filename: file.filename,
				download_url: file.downloadUrl ?? `${origin}${path}&signature=${this.sign(path)}`,
				expires_in: expiresIn,
			};
		});
	}

	/** Returns the file that a link with this path and query leads to. */
	find(path: string, now: number): LinkedFile | 'unknown' | 'expired' {
		const [, signed = '', jobId = '', index, expiresAt, signature = ''] =
			/^(\/files\/([^/]+)\/(\d+)\?expires=(-?\d+))&signature=([0-9a-f]{64})$/.exec(path) ?? [];
		const expected = Buffer.from(this.sign(signed));
		if (signature === '' || !timingSafeEqual(Buffer.from(signature), expected)) return 'unknown';
		return now < Number(expiresAt) ? { jobId, index: Number(index) } : 'expired';
	}

	private sign(path: string): string {
		return createHmac('sha256', this.key).update(path).digest('hex');
	}
}
