const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
const PARTS = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
// The largest number that JavaScript can hold has 309 digits: what is longer is a fraction.
const MAX_CHARACTERS = 400;

/**
 * Returns the first integer in a job's output, as it is written there, that lost digits when the
 * output became `data`: JavaScript can't hold every integer above 2^53. Returns undefined if there
 * is none, or if the output was no text.
 */
export function findInexactInteger(output: unknown, data: unknown): string | undefined {
	if (typeof output !== 'string') return undefined;
	const large = new Set<number>();
	addLargeNumbers(data, large);
	if (large.size === 0) return undefined;
	for (const [number] of output.matchAll(NUMBER)) {
		if (large.has(Number(number)) && hasLostDigits(number)) return number;
	}
	return undefined;
}

function addLargeNumbers(value: unknown, large: Set<number>): void {
	if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) large.add(value);
	if (typeof value !== 'object' || value === null) return;
	for (const inner of Object.values(value)) addLargeNumbers(inner, large);
}

// No digits are lost if the number is held exactly, or is shown as it was written, like 1e23.
function hasLostDigits(written: string): boolean {
	const number = Number(written);
	if (!Number.isFinite(number)) return true;
	const integer = toInteger(written);
	if (integer === undefined) return false;
	return integer !== BigInt(number) && integer !== toInteger(String(number));
}

/** Returns a number in the notation of JSON as an integer, or undefined if it is none. */
function toInteger(written: string): bigint | undefined {
	if (written.length > MAX_CHARACTERS) return undefined;
	const [, digits = '', fraction = '', exponent = '0'] = PARTS.exec(written) ?? [];
	const integer = BigInt(digits + fraction);
	const zeros = Number(exponent) - fraction.length;
	if (zeros >= 0) return integer * 10n ** BigInt(zeros);
	const divisor = 10n ** BigInt(-zeros);
	return integer % divisor === 0n ? integer / divisor : undefined;
}
