import { withJitter, worthwhilePauseMs } from './pollPace';
import type { RateBudget } from '../client/rateBudget';

/** How long one waiting job pauses between polls. */
export interface StatusPace {
	/** The next pause of a job that has been waited for this long, in ms. */
	pauseAfter(ageMs: number): number;
	/** To be called when the wait is over: the others get this job's share. */
	end(): void;
}

/**
 * Paces one waiting job: as often as it pays at its age, not more often than every `minimumMs`, and
 * less often as more jobs of the account are waited for, so that all of them fit into its budget.
 */
export function createPace(
	budget: Pick<RateBudget, 'announce' | 'stretch'>,
	minimumMs: number,
	random: () => number = Math.random,
): StatusPace {
	let takeBack = () => {};

	return {
		pauseAfter(ageMs) {
			takeBack();
			const wishedMs = Math.max(worthwhilePauseMs(ageMs), minimumMs);
			takeBack = budget.announce(wishedMs);
			return Math.max(withJitter(wishedMs * budget.stretch, random()), minimumMs);
		},
		end: () => takeBack(),
	};
}
