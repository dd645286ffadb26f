import { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { Account } from '../../../nodes/service/Account';

describe('Account', () => {
	it('keeps the last 10,000 jobs that were started or seen', () => {
		const account = new Account('test', new SimulatedClock());
		account.recordKnown('job_a');
		account.recordKnown('job_b');
		for (let index = 0; index < 9_998; index++) account.recordKnown(`job_${index}`);
		account.recordKnown('job_a');

		account.recordKnown('job_new');

		expect(['job_a', 'job_b', 'job_new'].map((id) => account.isKnown(id))).toEqual([
			true,
			false,
			true,
		]);
	});
});
