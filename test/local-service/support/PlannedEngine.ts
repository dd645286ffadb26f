import { writeFileSync } from 'node:fs';
import path from 'node:path';

import type { AgentTask } from '../../../local-service/agent/runAgent';
import type { BrowserRequest } from '../../../local-service/browser/openBrowser';
import { JobFailure } from '../../../local-service/JobFailure';
import type { Engine } from '../../../local-service/startService';
import { JOB_SECONDS, type JobPlan } from '../../api/ApiDriver';
import { FakeBrowser } from './FakeBrowser';
import type { FakeClock } from './FakeClock';

/** Browser and agent without Chromium and model, which do jobs by their plans on a fake clock. */
export class PlannedEngine implements Engine {
	private readonly plans: JobPlan[] = [];
	private readonly folders = new Map<unknown, string>();

	constructor(private readonly clock: FakeClock) {}

	/** Plans the next job. */
	plan(plan: JobPlan): void {
		this.plans.push(plan);
	}

	checkChromium = async () => {};

	openBrowser = async ({ downloadFolder }: BrowserRequest) => {
		const browser = new FakeBrowser();
		this.folders.set(browser, downloadFolder);
		return browser;
	};

	createModel: Engine['createModel'] = ({ label }) => ({ label, converse: () => ({}) as never });

	mapPayload = async () => ({});

	runAgent = async ({ browser, charge, mayAct }: AgentTask): Promise<unknown> => {
		const { outcome, output = 'done', error, steps = 4, files = [] } = this.plans.shift() ?? {};
		for (let count = 0; count < steps; count++) {
			await new Promise<void>((resolve) => {
				this.clock.after((JOB_SECONDS * 1000) / steps, resolve);
			});
			await mayAct();
			charge({});
		}

		const folder = this.folders.get(browser) ?? '';
		for (const [index, { filename, content }] of files.entries()) {
			const file = path.join(folder, `${index}.bin`);
			writeFileSync(file, content);
			const facts = { filename, path: file, size: Buffer.byteLength(content) };
			(browser as FakeBrowser).downloads.push({ ...facts, contentType: 'text/csv' });
		}
		if (outcome === 'failed') throw new JobFailure(error ?? 'The agent gave up');
		return output;
	};
}
