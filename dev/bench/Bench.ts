/** The account of the sandbox that everything runs on. */
export const KEY = 'sandbox-enterprise-key';

/** What a row works with. */
export interface Bench {
	/** Rows measure little, nothing is written, and only simulated figures are judged. */
	isQuick: boolean;
	/** How often each way is measured. */
	runs: number;
	/** The nodes with what the cases need of them, in one file. */
	bundleFile: string;
	workFolder: string;
}

/** A row of the table: a question, the ways to answer it, and the targets. */
export interface Row {
	/** As it is given on the command line. */
	name: string;
	title: string;
	/**
	 * Whether it is measured in simulated time, with random numbers that are the same in each run.
	 */
	isSimulated?: boolean;
	run(bench: Bench): Promise<RowResult>;
}

/** What a row has found. */
export interface RowResult {
	checks: Check[];
	/** What was measured, for the page of results: the first line is the head. */
	table: string[][];
	/** What a reader of the table has to know, in whole sentences. */
	notes: string;
}

/** A figure and its target. */
export interface Check {
	/** Follows the figure: "0.99 times the loop's time". */
	figureOf: string;
	value: number;
	atMost: number;
	/** Follows the figure and its target. */
	unit?: string;
}

/** Whether the figure is within its target. */
export function isReached(check: Check): boolean {
	return check.value <= check.atMost;
}
