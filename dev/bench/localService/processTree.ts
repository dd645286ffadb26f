import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of the kernel's clock in a second, on all common systems. */
const TICKS_PER_SECOND = 100;
const KB = 1024;

/** Whether the kernel shows here what processes use. */
export function canMeasureProcesses(): boolean {
	return read(process.pid, 'smaps_rollup') !== '';
}

/** Memory of all processes that this one has started, in MB; what they share counts once. */
export function memoryOfChildren(): number {
	const proportional = descendants(process.pid).map((pid) => {
		const [, kb = '0'] = /^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup')) ?? [];
		return Number(kb);
	});
	return proportional.reduce((sum, kb) => sum + kb, 0) / KB;
}

/** CPU time of this process, and of all that it has started and that still run, in seconds. */
export function cpuSeconds(): number {
	const ticks = [process.pid, ...descendants(process.pid)].map((pid) => {
		const { userTicks, systemTicks } = statOf(pid);
		return userTicks + systemTicks;
	});
	return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

function descendants(root: number): number[] {
	const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
	const parents = pids.map((pid) => ({ pid, parent: statOf(pid).parent }));
	const found = [root];
	for (const ancestor of found) {
		found.push(...parents.filter(({ parent }) => parent === ancestor).map(({ pid }) => pid));
	}
	return found.slice(1);
}

function statOf(pid: number) {
	// The name of the program, in brackets, may contain spaces.
	const fields = read(pid, 'stat')
		.replace(/^.*\) /s, '')
		.split(' ')
		.map(Number);
	return { parent: fields[1] ?? 0, userTicks: fields[11] ?? 0, systemTicks: fields[12] ?? 0 };
}

function read(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'utf8');
	} catch {
		return '';
	}
}
