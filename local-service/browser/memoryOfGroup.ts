import { readdirSync, readFileSync } from 'node:fs';

/** After the name of the program, in which anything may stand: state, parent, group. */
const GROUP = /.*\) \S+ \d+ (\d+) /s;
/**
 * Memory that no file on disk backs, also while it is swapped out. What two processes share counts
 * for both.
 */
const MEMORY = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm;

/** The group of each process, which it keeps: most have nothing to do with Chromium. */
const groups = new Map<string, number>();

/**
 * Returns the bytes of memory that the processes of a process group need. 0 where there is no
 * `/proc`, so only on Linux can it be limited.
 */
export function memoryOfGroup(group: number): number {
	const kilobytes = processIds()
		.filter((id) => groupOf(id) === group)
		.flatMap((id) => [...readEntry(id, 'status').matchAll(MEMORY)])
		.reduce((sum, [, count]) => sum + Number(count), 0);
	return kilobytes * 1024;
}

function processIds(): string[] {
	let names: string[];
	try {
		names = readdirSync('/proc');
	} catch {
		return [];
	}
	const ids = new Set(names.filter((name) => /^\d+$/.test(name)));
	for (const id of groups.keys()) if (!ids.has(id)) groups.delete(id);
	return [...ids];
}

function groupOf(id: string): number {
	const known = groups.get(id);
	if (known !== undefined) return known;
	const group = Number(GROUP.exec(readEntry(id, 'stat'))?.[1]);
	groups.set(id, group);
	return group;
}

/** Returns nothing of a process that has ended meanwhile. */
function readEntry(id: string, entry: string): string {
	try {
		return readFileSync(`/proc/${id}/${entry}`, 'utf8');
	} catch {
		return '';
	}
}
