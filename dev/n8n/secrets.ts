import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The secrets of an n8n: its owner's password, and the key that encrypts its credentials. */
export interface Secrets {
	password: string;
	encryptionKey: string;
}

const FILE_NAME = 'secrets.json';
const OWNER_ONLY = 0o600;

/**
 * New random secrets. The password meets n8n's own rule: a capital letter, a digit, 8 to 64
 * characters.
 */
export function createSecrets(): Secrets {
	return {
		password: `N8n-${randomBytes(12).toString('base64url')}`,
		encryptionKey: randomBytes(32).toString('base64url'),
	};
}

/** The secrets of a lasting user folder, in a file that only the owner can read. */
export function loadSecrets(userFolder: string): Secrets {
	const file = path.join(userFolder, FILE_NAME);
	if (!existsSync(file)) {
		const secrets = createSecrets();
		mkdirSync(userFolder, { recursive: true, mode: 0o700 });
		writeFileSync(file, `${JSON.stringify(secrets, undefined, '\t')}\n`, { mode: OWNER_ONLY });
		return secrets;
	}
	const { password, encryptionKey } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
	if (!password || !encryptionKey) {
		throw new Error(`${file} must have 'password' and 'encryptionKey'`);
	}
	return { password, encryptionKey };
}
