import { isGood, isReached, type Bench, type Check, type Row, type RowResult } from './Bench';
import { figure } from './figures';

/** A row in one line: whether it is reached, and its figures beside what they may be. */
export function toLine(
	{ title }: Pick<Row, 'title'>,
	result: RowResult,
	{ isQuick }: Pick<Bench, 'isQuick'>,
): string {
	const { checks, fault } = result;
	if (fault !== undefined) return `${title.padEnd(15)} BROKE OFF    ${fault}`;
	const verdict = isQuick ? 'works' : isGood(result) ? 'reached' : 'NOT REACHED';
	return `${title.padEnd(15)} ${verdict.padEnd(12)} ${checks.map((check) => toText(check, isQuick)).join('; ')}`;
}

/** One figure in words. */
export function toText(check: Check, isQuick: boolean): string {
	const { figureOf, value, atMost, unit = '' } = check;
	const limit = isQuick
		? ''
		: ` (${isReached(check) ? '' : 'NOT '}at most ${figure(atMost)}${unit})`;
	return `${figure(value)}${unit} ${figureOf}${limit}`;
}
