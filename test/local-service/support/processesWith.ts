import { readdirSync, readFileSync } from 'node:fs';

/** The IDs of processes that have a text in their command line, or their environment; Linux. */
export function processesWith(text: string, where: 'cmdline' | 'environ' = 'cmdline'): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.filter((id) => {
			try {
				return readFileSync(`/proc/${id}/${where}`, 'utf8').includes(text);
			} catch {
				// It has ended.
				return false;
			}
		})
		.map(Number)
		.toSorted((one, other) => one - other);
}
