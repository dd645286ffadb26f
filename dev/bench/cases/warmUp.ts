import type { EngineParts } from '../../engine/engine';
import { agentNode } from './engineParts';
import { runOne } from './runOne';

/**
 * Runs what the engine loads on its first execution; makes no call that is rate-limited. Throws if
 * the execution fails.
 */
export async function warmUp(parts: EngineParts): Promise<void> {
	const health = agentNode({ resource: 'service', operation: 'getHealth' });
	const input = Array.from({ length: 3 }, (_, item) => ({ json: {}, pairedItem: { item } }));
	await runOne(health, parts, input);
}
