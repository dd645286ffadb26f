import {
	isOutOfReach,
	isReached,
	toJudged,
	toVerdict,
	type Bench,
	type Check,
	type Row,
	type RowResult,
} from './Bench';
import { figure } from './figures';

/** A row in one line: whether its targets are reached, and its figures beside them. */
export function toLine(
	{ title }: Pick<Row, 'title'>,
	result: RowResult,
	bench: Pick<Bench, 'isQuick'>,
): string {
	const { checks, error } = result;
	const judged = toJudged(result, bench);
	const isUnjudged = error === undefined && checks.length > 0 && judged.checks.length === 0;
	const verdict = isUnjudged ? 'works' : toVerdict(judged).toUpperCase();
	const figures = checks.map((check) => toText(check, { isJudged: judged.checks.includes(check) }));
	return `${title.padEnd(15)} ${verdict.padEnd(12)} ${error ?? figures.join('; ')}`;
}

/** One figure in words, with its target if it is judged. */
export function toText(check: Check, { isJudged }: { isJudged: boolean }): string {
	const { figureOf, value, unit = '', limit } = check;
	const shownValue = `${figure(value)}${unit} ${figureOf}`;
	if (!isJudged) return shownValue;
	const target =
		'atMost' in check
			? `at most ${figure(check.atMost)}${unit}`
			: `at least ${figure(check.atLeast)}${unit}`;
	const parts = [isReached(check) ? target : `NOT ${target}`];
	if (limit !== undefined) {
		const outOfReach = isOutOfReach(check) ? 'out of reach, ' : '';
		parts.push(`${outOfReach}the limit is ${figure(limit.value)}${unit}: ${limit.reason}`);
	}
	return `${shownValue} (${parts.join('; ')})`;
}
