import { createRequire } from 'node:module';

import type { InstalledN8n } from './installN8n';

/** With which n8n's owner signs in. */
export interface Owner {
	email: string;
	password: string;
}

export const OWNER_EMAIL = 'owner@example.com';

/** Makes n8n create this owner when it starts, or set the owner's password anew. */
export function ownerEnvironment(n8n: InstalledN8n, { email, password }: Owner): NodeJS.ProcessEnv {
	const { hashSync } = createRequire(n8n.program)('bcryptjs') as {
		hashSync: (text: string, rounds: number) => string;
	};
	return {
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: email,
		N8N_INSTANCE_OWNER_FIRST_NAME: 'Sandbox',
		N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',
		N8N_INSTANCE_OWNER_PASSWORD_HASH: hashSync(password, 10),
	};
}
