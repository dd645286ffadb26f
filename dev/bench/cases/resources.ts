import { getHeapCodeStatistics } from 'node:v8';

/** Frees what nobody holds any more. Needs `--expose-gc`. */
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
