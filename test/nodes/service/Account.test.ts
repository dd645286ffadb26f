import { Account } from '../../../nodes/service/Account';
import { SimulatedClock } from '../../../dev/engine/SimulatedClock';

describe('Account', () => {
	it('expects the service not to know a job for 10 s after its start', async () => {
		const clock = new SimulatedClock();
		const account = new Account('test', clock);
		account.recordStart('job_1');

		await clock.advance(9_999);
		const before = account.mayBeUnknownYet('job_1');
		await clock.advance(1);

		expect([before, account.mayBeUnknownYet('job_1')]).toEqual([true, false]);
	});

	it('keeps recent starts when it forgets old ones', async () => {
		const clock = new SimulatedClock();
		const account = new Account('test', clock);
		account.recordStart('job_1');
		await clock.advance(5_000);
		account.recordStart('job_2');
		await clock.advance(6_000);

		account.recordStart('job_3');

		expect(['job_1', 'job_2', 'job_3'].map((id) => account.mayBeUnknownYet(id))).toEqual([
			false,
			true,
			true,
		]);
	});
});
