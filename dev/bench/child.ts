import { waitForMany, type WaitForManyOptions } from './cases/waitForMany';
import type { ChildAnswer } from './waitInChild';

// Otherwise the first error with a stack loads tsx's source maps into the heap.
process.setSourceMapsEnabled(false);

/** A process that waits for the bench, and ends when the bench disconnects from it. */
process.once('message', (options: WaitForManyOptions) => {
	const answer = (message: ChildAnswer) => process.send?.(message);
	waitForMany(options).then(
		(result) => answer({ result }),
		(error: unknown) =>
			answer({ error: error instanceof Error ? String(error.stack) : String(error) }),
	);
});
process.once('disconnect', () => process.exit());
