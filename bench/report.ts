import { isReached, type Bench, type Check, type Row, type RowResult } from './Bench';
import { figure } from './figures';

/** A row in one line: whether it is reached, and its figures beside what they may be. */
export function toLine(
	{ title }: Pick<Row, 'title'>,
	{ checks }: Pick<RowResult, 'checks'>,
	{ isQuick }: Pick<Bench, 'isQuick'>,
): string {
	const verdict = isQuick ? 'works' : checks.every(isReached) ? 'reached' : 'NOT REACHED';
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
