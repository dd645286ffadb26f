import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { anySignal, untilAborted } from '../../../nodes/async/abortSignals';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('anySignal', () => {
	it.each([
		['the first', 0],
		['the second', 1],
	])('is aborted with %s of two signals', (_label, index) => {
		const controllers = [new AbortController(), new AbortController()];
		const signal = anySignal(controllers[0]?.signal, undefined, controllers[1]?.signal);

		controllers[index]?.abort();

		expect(signal.aborted).toBe(true);
	});

	it('is never aborted without a signal', () => {
		expect(anySignal(undefined).aborted).toBe(false);
	});

	it('keeps its sources from being garbage-collected', async () => {
		const { combined, source } = combineLocalSignal();
		await new Promise(setImmediate);

		collectGarbage();

		expect(combined.aborted).toBe(false);
		expect(source.deref()).toBeDefined();
	});

	/** A combined signal whose source nobody else refers to. */
	function combineLocalSignal() {
		const { signal } = new AbortController();
		return { combined: anySignal(signal), source: new WeakRef(signal) };
	}
});

describe('untilAborted', () => {
	const never = new Promise<string>(() => {});

	it('resolves to undefined when the signal is aborted first', async () => {
		const stop = new AbortController();
		const waiting = untilAborted(never, stop.signal);

		stop.abort();

		expect(await waiting).toBeUndefined();
	});

	// Jest fails a test with an unhandled rejection.
	it.each([
		['before', AbortSignal.abort()],
		['after', new AbortController().signal],
	])('swallows a rejection of the promise after an abort %s the call', async (_l, signal) => {
		const stop = new AbortController();
		let fail = (_error: Error) => {};
		const promise = new Promise<string>((_resolve, reject) => (fail = reject));

		const waiting = untilAborted(promise, anySignal(signal, stop.signal));
		stop.abort();

		expect(await waiting).toBeUndefined();
		fail(new Error('Too late'));
		await new Promise(setImmediate);
	});
});
