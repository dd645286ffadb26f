import { type Check, type CheckName, CHECKS } from './checks';

/** How a service behaves, compared with what is documented or assumed. */
type Verdict = 'as documented' | 'as assumed' | 'other' | 'not seen';

export interface Row extends Check {
	name: CheckName;
	verdict: Verdict;
	/** In a few words. */
	seen: string;
}

const LEGEND =
	'† The sandbox and the local service answer this with the same code: against them the row ' +
	'proves nothing.';

/** What was seen of a service. */
export class Findings {
	private readonly found = new Map<CheckName, { holds: boolean; seen: string }>();
	private readonly reasons = new Map<CheckName, string>();

	/** Enters what was seen. What was once seen to be other stays so. */
	note(name: CheckName, holds: boolean, seen: string): void {
		if (this.found.get(name)?.holds !== false) this.found.set(name, { holds, seen });
	}

	/** Enters why something could not be seen. */
	noteUnseen(name: CheckName, reason: string): void {
		this.reasons.set(name, reason);
	}

	get rows(): Row[] {
		return Object.entries(CHECKS).map(([key, check]: [string, Check]) => {
			const name = key as CheckName;
			const { holds, seen } = this.found.get(name) ?? {};
			if (holds === undefined) {
				const reason = this.reasons.get(name) ?? check.notSeen ?? 'not reached';
				return { ...check, name, verdict: 'not seen', seen: reason };
			}
			const asExpected = check.basis === 'documented' ? 'as documented' : 'as assumed';
			return { ...check, name, verdict: holds ? asExpected : 'other', seen: seen ?? '' };
		});
	}

	get others(): Row[] {
		return this.rows.filter(({ verdict }) => verdict === 'other');
	}

	/** The rows as a Markdown table, and how many there are of each verdict. */
	toTable(): string {
		const lines = this.rows.map(({ what, basis, isShared, verdict, seen }) => {
			const source = basis === 'documented' ? basis : `assumption ${basis}`;
			const result = verdict === 'other' ? `**${verdict}**` : verdict;
			const cells = [`${what}${isShared ? ' †' : ''}`, source, result, seen];
			return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
		});
		const verdicts: Verdict[] = ['as documented', 'as assumed', 'other', 'not seen'];
		const count = (verdict: Verdict) => this.rows.filter((row) => row.verdict === verdict).length;
		return [
			'| Expected | Source | Result | Seen |',
			'| --- | --- | --- | --- |',
			...lines,
			'',
			LEGEND,
			verdicts.map((verdict) => `${count(verdict)} ${verdict}`).join(', '),
		].join('\n');
	}
}
