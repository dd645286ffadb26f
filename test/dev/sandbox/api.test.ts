import { type ApiDriver, JOB_SECONDS } from '../../api/ApiDriver';
import { testApi } from '../../api/apiSuite';
import { ENTERPRISE, FORBIDDEN, FREE, PRO, setUpSandbox } from './setUpSandbox';

const sandbox = setUpSandbox();

const driver: ApiDriver = {
	get url() {
		return sandbox.url;
	},
	get filesUrl() {
		return sandbox.filesUrl;
	},
	otherUrls: [['the admin API', () => `${sandbox.url}/_sandbox/counters`]],
	key: PRO,
	credits: 10_000,
	workflowId: 'wf_daily_report',
	differences: {
		creditsPerStep: [
			['o3', 3],
			['vendord/not-in-the-document', 5],
			[null, 5],
		],
		unknownModel: 200,
		residentialIp: 200,
		otherKey: FREE,
		unlimitedKey: ENTERPRISE,
		forbiddenKey: FORBIDDEN,
	},
	planJob: async (plan) => {
		await sandbox.admin.nextJob({ durationSeconds: JOB_SECONDS, ...plan });
	},
	advance: async (seconds) => {
		await sandbox.admin.advance(seconds);
	},
	now: () => sandbox.now(),
	setCredits: async (credits) => await sandbox.admin.setCredits(PRO, credits),
	limitRates: async () => await sandbox.admin.setLimits('on'),
	countJobs: async () => (await sandbox.admin.jobs()).length,
};

describe('The sandbox', () => testApi(driver));
