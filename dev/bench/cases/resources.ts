import { readFileSync, writeFileSync } from 'node:fs';
import { getHeapCodeStatistics } from 'node:v8';

/** What some work cost. */
export interface Spent {
	cpuMs: number;
	wallMs: number;
	peakBytes: number;
}

/** Measures work in this process, which must be idle otherwise. */
export async function spentOn(work: () => Promise<void>): Promise<Spent> {
	collectGarbage();
	const before = process.memoryUsage.rss();
	resetPeak();
	const cpu = process.cpuUsage();
	const began = performance.now();
	await work();
	const wallMs = performance.now() - began;
	const { user, system } = process.cpuUsage(cpu);
	return {
		cpuMs: (user + system) / 1000,
		wallMs,
		peakBytes: Math.max(0, peakBytes() - before),
	};
}

export function collectGarbage(): void {
	if (global.gc === undefined) throw new Error('This needs --expose-gc');
	// A second pass frees what the first one has released.
	global.gc();
	global.gc();
}

/** The heap without compiled code, which does not grow with the work. */
export function dataBytes(): number {
	collectGarbage();
	const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics();
	return process.memoryUsage().heapUsed - code_and_metadata_size - bytecode_and_metadata_size;
}

// Only Linux keeps the peak size of a process and can reset it.
const STATUS = '/proc/self/status';

function resetPeak(): void {
	writeFileSync('/proc/self/clear_refs', '5');
}

function peakBytes(): number {
	return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(STATUS, 'utf8'))?.[1]) * 1024;
}
