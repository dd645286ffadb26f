import { createRequire } from 'node:module';

import { withNodeFirst } from './installNode';
import type { InstalledN8n } from './installN8n';
import { LOOPBACK } from './ports';

/** How n8n's owner signs in. */
export interface Owner {
	email: string;
	password: string;
}

/** Variables of this process that must not reach n8n: those of another n8n, of npm and of Jest. */
const NOT_INHERITED =
	/^(N8N_|DB_|QUEUE_|EXECUTIONS_|WEBHOOK_|NODE_OPTIONS$|NODE_ENV$|JEST_|npm_)|^(http|https|all)_proxy$/i;

/** Switches off every request to the outside: telemetry, updates, templates, packages, banners. */
const OFFLINE = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	// The first fetches a list of servers from api.n8n.io at its start, the second needs a service
	// of n8n's.
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai',
};

/**
 * The environment of an n8n that stores all its data in this folder and listens on loopback only.
 */
export function n8nEnvironment(
	n8n: InstalledN8n,
	userFolder: string,
	owner: Owner,
): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
	return {
		...withNodeFirst(n8n.node, Object.fromEntries(inherited)),
		...OFFLINE,
		...ownerEnvironment(n8n, owner),
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: LOOPBACK,
		N8N_HOST: LOOPBACK,
		N8N_SECURE_COOKIE: 'false',
		N8N_LOG_LEVEL: 'info',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		GENERIC_TIMEZONE: 'UTC',
	};
}

/** Makes n8n create this owner when it starts, or reset the owner's password. */
function ownerEnvironment(n8n: InstalledN8n, { email, password }: Owner): NodeJS.ProcessEnv {
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
