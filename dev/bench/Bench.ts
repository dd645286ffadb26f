import type { InstalledN8n } from '../n8n/installN8n';

/** What a row works with. */
export interface Bench {
	/** Only to see that it works: small, once, and nobody judges the figures. */
	isQuick: boolean;
	/** How often each way is measured. */
	runs: number;
	/** Unset: there is none, and what is compared with its nodes is left out. */
	n8n?: InstalledN8n;
	/** The package as it would be published, unpacked. */
	builtPackage: { folder: string; packedBytes: number };
	/** For what is made on the way; removed at the end. */
	workFolder: string;
}

/** A row of the table: a question, the ways to answer it, and what is to be reached. */
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
	/** Why there is no result: it broke off. */
	fault?: string;
}

/** A figure that is to be reached. */
export interface Check {
	/** Follows the figure: "0.83 of the HTTP Request node's CPU". */
	figureOf: string;
	value: number;
	atMost: number;
	/** Stands behind the figure and its limit. */
	unit?: string;
	/** The least that can be had at all, and how that is known: it may be more than the limit. */
	floor?: { value: number; who: string };
}

export function isReached({ value, atMost }: Check): boolean {
	return value <= atMost;
}

/** Whether what was measured beside it shows that nobody can reach it. */
export function isOutOfReach({ atMost, floor }: Check): boolean {
	return floor !== undefined && floor.value > atMost;
}

/** Whether a row has come to its end, with all its figures reached that can be. */
export function isGood({ checks, fault }: RowResult): boolean {
	return fault === undefined && checks.every((check) => isReached(check) || isOutOfReach(check));
}

/** The same in words. */
export function toVerdict(result: RowResult): string {
	if (result.fault !== undefined) return 'broke off';
	if (!isGood(result)) return 'not reached';
	return result.checks.every(isReached) ? 'reached' : 'reached, but for what is out of reach';
}
