import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { anySignal, untilAborted } from '../../../nodes/async/abortSignals';
import { waitFor } from '../../support/waitFor';

describe('anySignal', () => {
	it.each([
		['the first', 0],
		['the second', 1],
	])('is aborted with %s of several signals', (_label, index) => {
		const controllers = [new AbortController(), new AbortController()];
		const signal = anySignal(controllers[0]?.signal, undefined, controllers[1]?.signal);

		controllers[index]?.abort();

		expect(signal.aborted).toBe(true);
	});

	it('is never aborted without a signal', () => {
		expect(anySignal(undefined).aborted).toBe(false);
	});

	it('is aborted by a timeout that nobody else refers to, also after a garbage collection', async () => {
		setFlagsFromString('--expose-gc');
		const collectGarbage = runInNewContext('gc') as () => void;
		const onAbort = jest.fn();
		anySignal(AbortSignal.timeout(200)).addEventListener('abort', onAbort);

		await new Promise(setImmediate);
		collectGarbage();

		await waitFor(() => expect(onAbort).toHaveBeenCalledTimes(1));
	});
});

describe('untilAborted', () => {
	const never = new Promise<string>(() => {});

	it('resolves as the promise does', async () => {
		expect(await untilAborted(Promise.resolve('done'), new AbortController().signal)).toBe('done');
	});

	it('rejects as the promise does', async () => {
		const failing = untilAborted(Promise.reject(new Error('No')), new AbortController().signal);

		await expect(failing).rejects.toThrow('No');
	});

	it('resolves to undefined on abort', async () => {
		const stop = new AbortController();
		const waiting = untilAborted(never, stop.signal);

		stop.abort();

		expect(await waiting).toBeUndefined();
	});

	// Jest fails a test with an unhandled rejection.
	it.each([
		['before', AbortSignal.abort()],
		['after', new AbortController().signal],
	])('handles a later rejection of the promise, with an abort %s the call', async (_l, signal) => {
		const stop = new AbortController();
		let fail = (_error: Error) => {};
		const promise = new Promise<string>((_resolve, reject) => (fail = reject));

		const waiting = untilAborted(promise, anySignal(signal, stop.signal));
		stop.abort();

		expect(await waiting).toBeUndefined();
		fail(new Error('Too late'));
		await new Promise(setImmediate);
	});

	it('leaves no listener on the signal', async () => {
		const { signal } = new AbortController();
		const added = jest.spyOn(signal, 'addEventListener');

		await untilAborted(Promise.resolve(), signal);

		expect(added).not.toHaveBeenCalled();
	});
});
