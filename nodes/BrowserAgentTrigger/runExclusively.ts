import type { Runtime } from '../runtime';

/**
 * Runs a poll of the trigger node of this name, or returns null while its last one is running: two
 * at once would emit events twice.
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
