import type { Clock } from '../../../nodes/async/clock';
import { currentClock, setClock } from '../../support/testRuntime';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

/** A clock that counts the timers of the node that are still set. */
function countTimers(clock: Clock): { timers: number } {
	const count = { timers: 0 };
	setClock({
		...clock,
		async sleep(ms, signal) {
			count.timers++;
			await clock.sleep(ms, signal);
			count.timers--;
		},
	});
	return count;
}

describe('The timers of a run end with it', () => {
	const machineClock = currentClock();

	afterEach(() => setClock(machineClock));

	it('when an item has failed', async () => {
		const count = countTimers(currentClock());
		await service.admin.nextJob({ statuses: ['running', 'failed'] });

		await service.runAgent();

		expect(count.timers).toBe(0);
	});

	it('when the job has ended before its wait is suspended', async () => {
		const count = countTimers(currentClock());

		await service.suspendAgent().finished;

		expect(count.timers).toBe(0);
	});
});
