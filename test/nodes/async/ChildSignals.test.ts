import { getEventListeners } from 'node:events';

import { ChildSignals } from '../../../nodes/async/ChildSignals';

const parent = () => new AbortController();
const never = async (signal: AbortSignal) =>
	await new Promise<void>((_, reject) => {
		signal.addEventListener('abort', () => reject(signal.reason as Error));
	});
const listeners = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

describe('ChildSignals', () => {
	it('hands on what the work returns', async () => {
		const children = new ChildSignals(parent().signal);

		await expect(children.lend(async () => await Promise.resolve('done'))).resolves.toBe('done');
	});

	it('aborts all that are open, with the reason of the parent', async () => {
		const controller = parent();
		const children = new ChildSignals(controller.signal);
		const works = [children.lend(never), children.lend(never)];

		controller.abort('enough');

		await expect(Promise.allSettled(works)).resolves.toEqual([
			{ status: 'rejected', reason: 'enough' },
			{ status: 'rejected', reason: 'enough' },
		]);
	});

	it('lends an aborted signal when the parent is aborted already', async () => {
		const children = new ChildSignals(AbortSignal.abort('enough'));

		const reason = await children.lend(async ({ reason }) => await Promise.resolve(reason));

		expect(reason).toBe('enough');
	});

	it('puts one listener on the parent for all, and none when all have ended', async () => {
		const controller = parent();
		const children = new ChildSignals(controller.signal);
		const ends: Array<() => void> = [];
		const work = async () => await new Promise<void>((resolve) => ends.push(resolve));
		const works = [children.lend(work), children.lend(work)];

		const meanwhile = listeners(controller);
		for (const end of ends) end();
		await Promise.all(works);

		expect(meanwhile).toBe(1);
		expect(listeners(controller)).toBe(0);
	});

	it('leaves the signal of a work that has ended alone', async () => {
		const controller = parent();
		const children = new ChildSignals(controller.signal);
		let ended: AbortSignal | undefined;
		await children.lend(async (signal) => {
			ended = signal;
			await Promise.resolve();
		});
		const open = children.lend(never);

		controller.abort('enough');

		await expect(open).rejects.toBe('enough');
		expect(ended?.aborted).toBe(false);
	});
});
