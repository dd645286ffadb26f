/** How a job goes. It takes `JOB_SECONDS`, of which it spends an equal part on each step. */
export interface JobPlan {
	/** Default `completed`. */
	outcome?: 'completed' | 'failed';
	/** Default: any. */
	output?: unknown;
	/** The error of a job that fails. Default: any. */
	error?: string;
	/** Default 4. */
	steps?: number;
	/** What it downloads. Default: nothing. */
	files?: Array<{ filename: string; content: string }>;
}

/** How long each job takes, in seconds of the backend's time. */
export const JOB_SECONDS = 10;

/**
 * What the suite asks of the backend that it runs against. Its time stands still between calls of
 * `advance`, and each test finds it as new: no jobs, all credits, no rate limits.
 */
export interface ApiDriver {
	/** Base URL, and the origin of the file links, without a trailing slash. */
	readonly url: string;
	readonly filesUrl: string;

	/** Addresses of what else the backend serves, which web pages must be kept away from, too. */
	readonly otherUrls: Array<[name: string, url: () => string]>;

	/** Key of an account whose credits are counted. */
	readonly key: string;

	/** How many credits that account has at first. */
	readonly credits: number;

	/** A saved workflow without required inputs. */
	readonly workflowId: string;

	readonly differences: Differences;

	/** Plans the next job; without a plan a job completes and downloads nothing. */
	planJob(plan: JobPlan): Promise<void>;

	/** Lets time pass, and with it everything that is due by then happen. */
	advance(seconds: number): Promise<void>;

	/** The backend's time in ms since 1970. */
	now(): number;

	setCredits(credits: number): Promise<void>;

	/** Switches the documented rate limits on, for this test. */
	limitRates(): Promise<void>;

	countJobs(): Promise<number>;
}

/** Where backends may differ. What is missing, the backend does not have. */
interface Differences {
	/** Credits for a step with a model that the document has; `null` is the default model. */
	creditsPerStep: Array<[model: string | null, credits: number]>;

	/** The status that answers a start with a model that neither document nor service have. */
	unknownModel: 200 | 400;

	/** The status that answers a start with a `residential_ip`. */
	residentialIp: 200 | 400;

	/** Key of another account. */
	otherKey?: string;

	/** Key of an account with unlimited credits. */
	unlimitedKey?: string;

	/** A key without permission, for which every call is answered with 403. */
	forbiddenKey?: string;
}
