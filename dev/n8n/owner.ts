import { createRequire } from 'node:module';

import type { InstalledN8n } from './installN8n';

/** Who signs in to the n8n that is tried out. It listens on this machine only. */
export const OWNER = { email: 'owner@example.com', password: 'Sandbox-Owner-1' };

/** Makes n8n create the owner at its start. */
export function ownerEnvironment(n8n: InstalledN8n): NodeJS.ProcessEnv {
	const { hashSync } = createRequire(n8n.program)('bcryptjs') as {
		hashSync: (text: string, rounds: number) => string;
	};
	return {
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: OWNER.email,
		N8N_INSTANCE_OWNER_FIRST_NAME: 'Sandbox',
		N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',
		N8N_INSTANCE_OWNER_PASSWORD_HASH: hashSync(OWNER.password, 10),
	};
}
