import { randomBytes } from 'node:crypto';

import type { FileScript } from '../dev/sandbox/types';

const DEFAULT_EXPIRY_SECONDS = 3600;

/** The download links of one sandbox. Times are sandbox time in ms since 1970. */
export class FileLinks {
	/** The links, by path and query. */
	private readonly links = new Map<string, { file: FileScript; expiresAt: number }>();

	/** Returns the job's files in the wire format, with new links to `origin`. */
	listFiles(jobId: string, files: FileScript[], origin: string, now: number): object[] {
		return files.map((file, index) => {
			const expiresIn = file.expiresInSeconds ?? DEFAULT_EXPIRY_SECONDS;
			const expiresAt = Math.floor(now + expiresIn * 1000);
			const signature = randomBytes(32).toString('hex');
			const path = `/files/${jobId}/${index}?expires=${expiresAt}&signature=${signature}`;
			this.links.set(path, { file, expiresAt });
			return {
				filename: file.filename,
				download_url: file.downloadUrl ?? origin + path,
				expires_in: expiresIn,
			};
		});
	}

	/** Returns the file that a link with this path and query leads to. */
	find(path: string, now: number): FileScript | 'unknown' | 'expired' {
		const link = this.links.get(path);
		if (!link) return 'unknown';
		return now < link.expiresAt ? link.file : 'expired';
	}
}
