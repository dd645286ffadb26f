/** The middle value; of an even number of values, the mean of the middle two. */
export function median(values: number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted.length / 2;
	const below = sorted[Math.ceil(middle) - 1] ?? NaN;
	const above = sorted[Math.floor(middle)] ?? NaN;
	return (below + above) / 2;
}

/** The arithmetic mean; NaN without values. */
export function mean(values: number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value that this share of all values does not exceed. */
export function quantile(values: number[], share: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
}

/** With three significant digits, but without rounding whole numbers. */
export function figure(value: number): string {
	const digits = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1))));
	return value.toLocaleString('en', { maximumFractionDigits: digits });
}
