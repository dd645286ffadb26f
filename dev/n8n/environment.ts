import { withNodeFirst } from './installNode';
import type { InstalledN8n } from './installN8n';
import { ownerEnvironment } from './owner';
import { LOOPBACK } from './ports';

/** Settings of somebody's own n8n, or of the process that starts this, that are not meant for it. */
const NOT_HANDED_ON =
	/^(N8N_|DB_|QUEUE_|EXECUTIONS_|WEBHOOK_|NODE_OPTIONS$|NODE_ENV$|JEST_|npm_)|^(http|https|all)_proxy$/i;

/** Nothing leaves the machine: no telemetry, no look for updates, templates, packages or banners. */
const QUIET = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	// The first asks n8n's makers for a list of servers shortly after its start, the second needs a
	// service of theirs.
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai',
};

/** The environment of an n8n that keeps all its data in this folder and talks to this machine only. */
export function n8nEnvironment(n8n: InstalledN8n, userFolder: string): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(([name]) => !NOT_HANDED_ON.test(name));
	return {
		...withNodeFirst(n8n.node, Object.fromEntries(inherited)),
		...QUIET,
		...ownerEnvironment(n8n),
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'for-trying-out-the-package-only!',
		N8N_LISTEN_ADDRESS: LOOPBACK,
		N8N_HOST: LOOPBACK,
		N8N_SECURE_COOKIE: 'false',
		N8N_LOG_LEVEL: 'info',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		GENERIC_TIMEZONE: 'UTC',
	};
}
