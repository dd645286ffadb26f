import type { EngineParts } from '../../engine/engine';
import { nodeOf } from './engineParts';
import { runOne } from './runOne';

/** Runs what the engine loads on its first execution; makes no call that is rate-limited. */
export async function warmUp(parts: EngineParts): Promise<void> {
	const health = nodeOf('browserAgent', { resource: 'service', operation: 'getHealth' });
	await runOne(health, parts, [{}, {}, {}]);
	if (process.env.BENCH_HAS_N8N === undefined) return;
	const { baseUrl } = parts.credentials.browserAgentApi?.data ?? {};
	const request = { url: `${String(baseUrl)}/v1/health`, options: {} };
	await runOne(nodeOf('n8n-nodes-base.httpRequest', request), parts, [{}, {}, {}]);
}
