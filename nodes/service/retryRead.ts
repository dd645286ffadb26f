import { asThrown, ServiceError } from '../errors/ServiceError';
import type { Clock } from '../async/clock';
import type { CallOptions } from './types';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
// Who has to wait longer is told so, and may do something else meanwhile.
const LONGEST_PAUSE_MS = 60_000;

/**
 * Asks for something that a question does not change, and again, twice at most, after a fault that
 * may pass: then when the service wants it, else after 1 s and 2 s. Throws what the last attempt
 * threw.
 */
export async function retryRead<Answer>(
	ask: () => Promise<Answer>,
	{ signal, deadline = Infinity }: CallOptions,
	clock: Clock,
): Promise<Answer> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await ask();
		} catch (error) {
			const pauseMs = pauseAfter(error, attempt);
			const isOver = attempt === ATTEMPTS || signal?.aborted === true;
			if (isOver || pauseMs === Infinity || clock.now() + pauseMs > deadline) throw asThrown(error);
			await clock.sleep(pauseMs, signal);
		}
	}
}

// For ever, where there is no use in asking again. Who waited for a turn in vain has waited enough.
function pauseAfter(error: unknown, attempt: number): number {
	if (!(error instanceof ServiceError) || !error.isTransient || error.kind === 'queueTimeout') {
		return Infinity;
	}
	const pauseMs = Math.max(error.facts.retryAfterMs ?? 0, FIRST_PAUSE_MS * attempt);
	return pauseMs > LONGEST_PAUSE_MS ? Infinity : pauseMs;
}
