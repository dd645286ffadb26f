/** Looks every second until it is so. Throws, and says what `what` is, when the time is over. */
export async function until(
	isSo: () => Promise<boolean>,
	withinMs: number,
	what = String(isSo),
): Promise<void> {
	const deadline = Date.now() + withinMs;
	while (!(await isSo())) {
		if (Date.now() > deadline) throw new Error(`Not within ${withinMs / 1000} s: ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 1000));
	}
}
