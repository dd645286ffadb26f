import type { Answer } from './model';
import type { PageView } from './PageView';

/** Counts equal actions in a row after which the page is the same. */
export function countRepeats() {
	let last = '';
	let count = 0;

	/** How often the model has done this now, and the page has looked like this afterwards. */
	return ({ call }: Answer, { address, outline }: PageView): number => {
		const { note: _note, ...input } = call?.input ?? {};
		const step = JSON.stringify([call?.tool, input, address, outline]);
		count = call && step === last ? count + 1 : 1;
		last = step;
		return count;
	};
}
