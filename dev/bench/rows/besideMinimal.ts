import type { Check, Way } from '../Bench';
import type { Spent } from '../cases/resources';
import { median, medianWithRange } from '../figures';

export const MIB = 1024 * 1024;
export const HEAD = ['way', 'wall, s', 'CPU, s', 'growth at its peak, MiB'];
export const GROWTH =
	'Growth is the largest size of the process less its size before, after a smaller run.';

/** The cells below `HEAD` for one way. */
export function toCells(name: string, spent: Spent[]): string[] {
	return [
		name,
		medianWithRange(spent.map(({ wallMs }) => wallMs / 1000)),
		medianWithRange(spent.map(({ cpuMs }) => cpuMs / 1000)),
		medianWithRange(spent.map(({ peakBytes }) => peakBytes / MIB)),
	];
}

/** What ours has spent, as a share of what the minimal node has. */
export function shareCheck(
	key: keyof Spent,
	figureOf: string,
	{ ours, minimal }: Record<Way, Spent[]>,
	atMost: number,
): Check {
	const spent = (all: Spent[]) => median(all.map((one) => one[key]));
	return { figureOf, value: spent(ours) / spent(minimal), atMost };
}
