import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { type Service, startService } from '../../local-service/startService';
import type { ApiDriver } from '../api/ApiDriver';
import { testApi } from '../api/apiSuite';
import { FakeClock } from './support/FakeClock';
import { PlannedEngine } from './support/PlannedEngine';
import { serviceSettings } from './support/serviceSettings';
import { useTemporaryFolder } from './support/temporaryData';

const KEY = 'local-service-key';
const CREDITS = 100;

describe('The local service', () => {
	const temporaryFolder = useTemporaryFolder();
	let service: Service;
	let clock: FakeClock;
	let engine: PlannedEngine;

	beforeEach(async () => {
		clock = new FakeClock();
		engine = new PlannedEngine(clock);
		const dataFolder = temporaryFolder();
		mkdirSync(path.join(dataFolder, 'workflows'));
		writeFileSync(path.join(dataFolder, 'workflows/report.json'), '{"directive": "Report"}');
		const settings = serviceSettings({ port: 0, apiKey: KEY, credits: CREDITS, dataFolder });
		service = await startService(settings, { engine, clock, writeLog: () => {} });
	});
	afterEach(async () => await service.close());

	const driver: ApiDriver = {
		get url() {
			return service.url;
		},
		get filesUrl() {
			return service.url;
		},
		otherUrls: [
			['the live view', () => `${service.url}/live/job_1/secret`],
			['the history', () => `${service.url}/history/job_1/secret`],
		],
		key: KEY,
		credits: CREDITS,
		workflowId: 'report',
		differences: {
			// A step costs one, and the document's models stand for the default one.
			creditsPerStep: [
				[null, 1],
				['o3', 1],
			],
			unknownModel: 400,
			residentialIp: 400,
		},
		planJob: async (plan) => engine.plan(plan),
		advance: async (seconds) => await clock.pass(seconds * 1000),
		now: () => clock.now(),
		setCredits: async (credits) => {
			while ((service.credits.left ?? 0) > credits) service.credits.take();
		},
		// They are always on: no other test makes that many calls in a minute.
		limitRates: async () => {},
		countJobs: async () => readdirSync(path.join(service.dataFolder, 'jobs')).length,
	};

	testApi(driver);
});
