import {
	isOutOfReach,
	isReached,
	toVerdict,
	type Bench,
	type Check,
	type Row,
	type RowResult,
} from './Bench';
import { figure } from './figures';

/** A row in one line: whether it is reached, and its figures beside what they may be. */
export function toLine(
	{ title }: Pick<Row, 'title'>,
	result: RowResult,
	{ isQuick }: Pick<Bench, 'isQuick'>,
): string {
	const { checks, fault } = result;
	const verdict = isQuick && fault === undefined ? 'works' : toVerdict(result).toUpperCase();
	const figures = fault ?? checks.map((check) => toText(check, isQuick)).join('; ');
	return `${title.padEnd(15)} ${verdict.padEnd(12)} ${figures}`;
}

/** One figure in words. */
export function toText(check: Check, isQuick: boolean): string {
	const { figureOf, value, atMost, unit = '', floor } = check;
	const shownValue = `${figure(value)}${unit} ${figureOf}`;
	if (isQuick) return shownValue;
	const limit = `${isReached(check) ? '' : 'NOT '}at most ${figure(atMost)}${unit}`;
	if (floor === undefined || !isOutOfReach(check)) return `${shownValue} (${limit})`;
	return `${shownValue} (${limit}: out of reach, since ${floor.who} has ${figure(floor.value)}${unit})`;
}
