import type { InstalledN8n } from '../n8n/installN8n';

/** What a row works with. */
export interface Bench {
	/** All rows in a small form. Only simulated figures are judged: the others depend on the machine. */
	isQuick: boolean;
	/** How often each way is measured. */
	runs: number;
	/** Unset: there is none, and what is compared with its nodes is left out. */
	n8n?: InstalledN8n;
	/** The package as it would be published, unpacked. */
	builtPackage: { folder: string; packedBytes: number };
	/** The nodes with what the cases need of them, in one file. */
	bundleFile: string;
	/** For temporary files; removed at the end. */
	workFolder: string;
}

/** A row of the table: a question, the ways to answer it, and the targets. */
export interface Row {
	/** As it is given on the command line. */
	name: string;
	title: string;
	run(bench: Bench): Promise<RowResult>;
}

export interface RowResult {
	checks: Check[];
	/** What was measured, for the page of results: the first line is the head. */
	table: string[][];
	/** What one has to know to read the table, in whole sentences. */
	notes: string;
	/** Why there is no result. */
	error?: string;
}

/** A figure and its target. */
export type Check = Figure & ({ atMost: number } | { atLeast: number });

interface Figure {
	/** Follows the figure: "0.83 of the HTTP Request node's CPU". */
	figureOf: string;
	value: number;
	/** Stands behind the figure and its target. */
	unit?: string;
	/** The best value that is possible at all, and why: it may be beyond the target. */
	limit?: { value: number; reason: string };
	/** Whether it was measured in virtual time, with random numbers that are the same in each run. */
	isSimulated?: boolean;
}

export function isReached(check: Check): boolean {
	return isWithinTarget(check, check.value);
}

/** Whether nobody can reach the target. */
export function isOutOfReach(check: Check): boolean {
	return check.limit !== undefined && !isWithinTarget(check, check.limit.value);
}

/** Whether a row was measured, with all its targets reached that can be. */
export function isGood({ checks, error }: RowResult): boolean {
	return error === undefined && checks.every((check) => isReached(check) || isOutOfReach(check));
}

/** The result with only those checks that `bench` judges. */
export function toJudged(result: RowResult, { isQuick }: Pick<Bench, 'isQuick'>): RowResult {
	if (!isQuick) return result;
	return { ...result, checks: result.checks.filter(({ isSimulated }) => isSimulated === true) };
}

/** The same in words. */
export function toVerdict(result: RowResult): string {
	if (result.error !== undefined) return 'failed';
	if (!isGood(result)) return 'not reached';
	return result.checks.every(isReached) ? 'reached' : 'reached, except what is out of reach';
}

function isWithinTarget(check: Check, value: number): boolean {
	return 'atMost' in check ? value <= check.atMost : value >= check.atLeast;
}
