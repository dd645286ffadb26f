import { readFileSync, writeFileSync } from 'node:fs';
import { getHeapCodeStatistics } from 'node:v8';

/** What some work took of the machine. */
export interface Spent {
	cpuMs: number;
	wallMs: number;
	/** By how much the process was larger at its largest than before. */
	peakBytes: number;
}

/** Measures the work of this process, which should be doing nothing else. */
export async function spentOn(work: () => Promise<void>): Promise<Spent> {
	collectGarbage();
	const before = process.memoryUsage.rss();
	forgetPeak();
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
	// What one pass has let go of may hold on to more.
	global.gc();
	global.gc();
}

/** What is on the heap beside compiled code, of which there is one for all. */
export function dataBytes(): number {
	collectGarbage();
	const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics();
	return process.memoryUsage().heapUsed - code_and_metadata_size - bytecode_and_metadata_size;
}

// Linux knows how large a process has been, and can be told to forget it.
const STATUS = '/proc/self/status';

function forgetPeak(): void {
	if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
}

function peakBytes(): number {
	if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
	return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(STATUS, 'utf8'))?.[1]) * 1024;
}
