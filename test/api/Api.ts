import type { AxiosResponse } from 'axios';

import { type ApiDriver, JOB_SECONDS, type JobPlan } from './ApiDriver';
import { type Client, createClient } from './client';

/** A backend's API as the tests of the suite use it. */
export class Api {
	constructor(readonly driver: ApiDriver) {}

	/** Uses the key of the account whose credits are counted. */
	get client(): Client {
		return this.clientWith(this.driver.key);
	}

	clientWith(key?: string): Client {
		return createClient(this.driver.url, key);
	}

	/** Starts a job that goes by this plan, with more fields in the request, and returns its ID. */
	async startJob(plan: JobPlan = {}, request: object = {}): Promise<string> {
		await this.driver.planJob(plan);
		const { data } = await this.client.start({ directive: 'Look around', ...request });
		return data.job_id as string;
	}

	/** Starts a job and lets it end. Returns its ID. */
	async endedJob(plan: JobPlan = {}): Promise<string> {
		const jobId = await this.startJob(plan);
		await this.driver.advance(JOB_SECONDS);
		return jobId;
	}

	/** Polls the job and returns the body of the response. */
	async poll(jobId: string): Promise<AxiosResponse['data']> {
		return (await this.client.status(jobId)).data;
	}
}
