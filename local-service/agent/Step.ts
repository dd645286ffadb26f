/** One step of a job, as its history shows it. It contains no password that the job has met. */
export interface Step {
	/** From 1. The opening of the initial URL, which costs nothing, is 0. */
	number: number;
	/** When it was over, in ISO 8601. */
	at: string;
	/** In words: 'Clicked button "Search"'. */
	action: string;
	/** Name of the tool. Empty when the model called none. */
	tool: string;
	/** Of the page after the step. */
	address: string;
	/** What the model has seen and what it will do next, in its words. */
	note?: string;
	/** Why the action did not work. */
	error?: string;
	/** What was refused, dismissed or failed meanwhile: a line each. */
	notices: string[];
	/** JPEG of the page after the step. */
	screenshot?: Buffer;
	/** Of the whole step: the model's time, the action's, and the page's. */
	ms: number;
	/** As the model's server has counted. */
	inputTokens?: number;
	outputTokens?: number;
	/** Label of the model. */
	model: string;
}
