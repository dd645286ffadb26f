import { CASES, type CaseName } from './cases';
import type { ChildAnswer } from './inChild';

// Otherwise the first error with a stack loads tsx's source maps into the heap.
process.setSourceMapsEnabled(false);

/** A process that runs one case for the bench, and ends when the bench disconnects from it. */
process.once('message', ({ name, options }: { name: CaseName; options: never }) => {
	const answer = (message: ChildAnswer) => process.send?.(message);
	CASES[name](options).then(
		(result: unknown) => answer({ result }),
		(error: unknown) =>
			answer({ error: error instanceof Error ? String(error.stack) : String(error) }),
	);
});
process.once('disconnect', () => process.exit());
