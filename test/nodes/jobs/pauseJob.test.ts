import { SimulatedAccount } from '../../../dev/engine/SimulatedAccount';
import { LedgerEntry } from '../../../nodes/jobs/LedgerEntry';
import { pauseJob } from '../../../nodes/jobs/pauseJob';
import { captureLogger } from '../../support/captureLogger';

it('A pause that is not sent, since another request is under way, is not recorded', async () => {
	const account = new SimulatedAccount();
	const { clock } = account;
	const entry = new LedgerEntry(clock, { state: 'running', jobId: account.givenJob().id });
	entry.claim({ client: account.connect(), pausePolicy: 'onEarlyEnd', onStarted: () => {} });
	entry.recordRequest(new Promise(() => {}));

	await pauseJob({ clock, executionId: '1', logger: captureLogger().logger }, entry);

	expect(entry.state).toBe('running');
});
