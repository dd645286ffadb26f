/** The account of the sandbox that everything runs on. */
export const KEY = 'sandbox-enterprise-key';

/** What a row works with. */
export interface Bench {
	/** Rows measure little. */
	isQuick: boolean;
	/** How often each way is measured. */
	runs: number;
	/** The nodes with what the cases need of them, in one file. */
	bundleFile: string;
	workFolder: string;
}

/** A row of the benchmarks: a question, the ways to answer it, and the targets. */
export interface Row {
	/** As it is given on the command line. */
	name: string;
	title: string;
	/**
	 * Whether it runs in simulated time, with random numbers that are the same in each run, so that
	 * its figures don't depend on the machine.
	 */
	isSimulated?: boolean;
	/** Whether it is part of a quick run. */
	isQuick?: boolean;
	/** Names what the row needs and is not on this machine; without it, the row is left out. */
	missing?(): string | undefined;
	run(bench: Bench): Promise<RowResult>;
}

/** What a row has found. */
export interface RowResult {
	/** What most readers want to know, each in one sentence, for the top of the page of results. */
	summary: string[];
	checks: Check[];
	/** What was measured, for the page of results: the first line is the head. */
	table: string[][];
	/** What a reader of the table has to know, in whole sentences. */
	notes: string;
}

/** A figure and its target. */
export interface Check {
	/** Follows the figure: "0.99 times the optimum". */
	figureOf: string;
	value: number;
	atMost: number;
	/** Follows the figure and its target. */
	unit?: string;
	/** Whether it depends on the machine, so that a quick run doesn't judge it. Default: false. */
	isAbsolute?: boolean;
	/** Whether it is judged, but left out on the page of results. Default: false. */
	isOffPage?: boolean;
}

/** Whether the figure is within its target. */
export function isReached(check: Check): boolean {
	return check.value <= check.atMost;
}
