import type { Runtime } from '../runtime';

/**
 * Runs a poll of the trigger node with this name, or returns null if one is running already: two at
 * once would emit events twice. Rejects if `poll` does.
 */
export async function runExclusively<T>(
	name: string,
	{ activePolls }: Runtime,
	poll: () => Promise<T>,
): Promise<T | null> {
	if (activePolls.has(name)) return null;
	activePolls.add(name);
	try {
		return await poll();
	} finally {
		activePolls.delete(name);
	}
}
