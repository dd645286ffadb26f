import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Throws unless the file has this hash, given as npm gives it: `sha512-` and base64. */
export function checkIntegrity(file: string, expected: string): void {
	const [algorithm = ''] = expected.split('-', 1);
	const actual = `${algorithm}-${createHash(algorithm).update(readFileSync(file)).digest('base64')}`;
	if (actual !== expected) {
		throw new Error(`The integrity of ${file} must be ${expected}, but is ${actual}`);
	}
}
