/** Limits how long a check may take, whatever is checked: `spend` throws when the limit is exceeded. */
export interface Budget {
	spend(steps: number): void;
}

/** The positions that a part of a pattern can lead to, from those given. */
type Step = (from: Set<number>, text: string, budget: Budget) => Set<number>;

const MAX_CHARACTERS = 1_000;
const TOKEN =
	/\(\?(?:[:=!]|<[\p{L}_$][\p{L}\p{N}_$]*>)|\[(?:\\.|[^\\\]])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|.)|\{\d+(?:,\d*)?\}|./gsuy;
const QUANTIFIER = /^\{(\d+)(?:,(\d*))?\}$/;
const QUANTIFIERS: Record<string, string> = { '*': '{0,}', '+': '{1,}', '?': '{0,1}' };
const BACKREFERENCE = /^\\[1-9k]/;

/**
 * Compiles a regular expression so that no text can make it slow: instead of trying one way after the
 * other, it follows all of them at once. It applies to the first 1,000 characters of a text. Throws for
 * what is not a pattern, and for backreferences and lookbehinds. Returns whether a text contains a match.
 */
export function compilePattern(pattern: string): (text: string, budget: Budget) => boolean {
	new RegExp(pattern, 'u');
	const step = new Parser(pattern.match(TOKEN) ?? []).parse();
	return (text, budget) => {
		const start = text.slice(0, MAX_CHARACTERS);
		return step(new Set(positionsOf(start)), start, budget).size > 0;
	};
}

function positionsOf(text: string): number[] {
	let position = 0;
	return [0, ...Array.from(text, (character) => (position += character.length))];
}

/** Reads the tokens of a pattern that is known to be valid. */
class Parser {
	private next = 0;

	constructor(private readonly tokens: string[]) {}

	parse(): Step {
		const alternatives = [this.parseSequence()];
		while (this.take('|')) alternatives.push(this.parseSequence());
		return (from, text, budget) => {
			budget.spend(from.size * alternatives.length);
			return new Set(alternatives.flatMap((step) => [...step(from, text, budget)]));
		};
	}

	private parseSequence(): Step {
		const steps: Step[] = [];
		while (this.token !== undefined && this.token !== '|' && this.token !== ')') {
			steps.push(this.parseRepeated());
		}
		return (from, ...run) => steps.reduce((positions, step) => step(positions, ...run), from);
	}

	private parseRepeated(): Step {
		const step = this.parseAtom();
		const token = this.token ?? '';
		const quantifier = QUANTIFIER.exec(QUANTIFIERS[token] ?? token);
		if (quantifier === null) return step;
		this.next++;
		// Lazy or not: what is found is the same.
		this.take('?');
		const [, min, max = min] = quantifier;
		return repeated(step, Number(min), max === '' ? Infinity : Number(max));
	}

	private parseAtom(): Step {
		const token = this.tokens[this.next++] ?? '';
		if (BACKREFERENCE.test(token) || (this.token === '?' && token === '(')) {
			throw new Error('Backreferences and lookbehinds are not supported');
		}
		if (!token.startsWith('(')) return character(new RegExp(token, 'uy'));
		const inner = this.parse();
		this.take(')');
		const isLookahead = token === '(?=' || token === '(?!';
		return isLookahead ? lookahead(inner, token === '(?=') : inner;
	}

	private get token(): string | undefined {
		return this.tokens[this.next];
	}

	private take(token: string): boolean {
		const isNext = this.token === token;
		if (isNext) this.next++;
		return isNext;
	}
}

/** A character, a class of characters, or an assertion such as `^`. */
function character(regex: RegExp): Step {
	return (from, text, budget) => {
		budget.spend(from.size);
		const to = new Set<number>();
		for (const position of from) {
			regex.lastIndex = position;
			if (regex.test(text)) to.add(regex.lastIndex);
		}
		return to;
	};
}

function lookahead(inner: Step, isPositive: boolean): Step {
	return (from, ...run) =>
		new Set([...from].filter((one) => inner(new Set([one]), ...run).size > 0 === isPositive));
}

function repeated(step: Step, min: number, max: number): Step {
	return (from, text, budget) => {
		const reached = new Set(min === 0 ? from : []);
		let latest = from;
		for (let count = 1; count <= max && latest.size > 0; count++) {
			const to = step(latest, text, budget);
			latest = new Set([...to].filter((position) => !reached.has(position)));
			if (count >= min) latest.forEach((position) => reached.add(position));
		}
		return reached;
	};
}
