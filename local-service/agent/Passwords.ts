import type { Frame, Page } from 'playwright-core';

import { within } from '../abort';
import { placeholder, type Secret } from '../secrets';

/** What stands in for a password. */
const FILLED = '(filled)';

/** A shorter one is hidden where it stands as a field's value only: it may be part of any word. */
const MIN_CHARACTERS_ANYWHERE = 4;

const READ_LIMIT_MS = 10_000;
const UNLOADED_LIMIT_MS = 300;

const TOO_MANY = 'The page has too many passwords, or too long ones';

/** A hostile page could have any number, each of which would be searched for in all of its text. */
const MAX_PASSWORDS_OF_PAGE = 50;
const MAX_PASSWORDS = 200;
const MAX_FIELDS = 1000;
const MAX_CHARACTERS = 1000;

/**
 * The passwords that a job has met: what has stood in a password field while its pages were read,
 * whoever has entered it. They are hidden in all that leaves the browser, and so are secrets, which
 * are shown under their names.
 */
export class Passwords {
	private readonly values = new Set<string>();
	/** What is shown in place of each value that has a name. */
	private readonly named = new Map<string, string>();

	/** Hides these secrets from the beginning. One-time codes are hidden when they are typed. */
	constructor(secrets: Secret[] = []) {
		for (const secret of secrets) if (!secret.isCode) this.addSecret(secret, secret.value());
	}

	/** Enters the value of a secret that is about to be typed. */
	addSecret(secret: Secret, value: string): void {
		this.named.set(value, placeholder(secret));
	}

	/** Enters a password, such as one that is about to be typed. */
	add(value: string): void {
		if (value === '') return;
		// The newest ones are last.
		this.values.delete(value);
		this.values.add(value);
		const [oldest] = this.values;
		if (this.values.size > MAX_PASSWORDS) this.values.delete(oldest!);
	}

	/**
	 * Enters what stands in the password fields of the page, its frames and their open shadow roots.
	 * Rejects when a frame does not answer, or when there are too many or too long ones: what the page
	 * shows must not be used then.
	 */
	async readFrom(page: Page): Promise<void> {
		const frames = Promise.all(page.frames().map(readFields));
		const values = new Set((await within(READ_LIMIT_MS, frames)).flat());
		if (values.size > MAX_PASSWORDS_OF_PAGE) throw new Error(TOO_MANY);
		for (const value of values) this.add(value);
	}

	/** The text with each password replaced, in the spellings of snapshots and addresses, too. */
	hide(text: string): string {
		const unnamed = [...this.values].filter((value) => !this.named.has(value));
		const hidden = [...this.named, ...unnamed.map((value) => [value, FILLED] as const)]
			.flatMap(([value, shown]) => spellingsOf(value).map((spelling) => ({ spelling, shown })))
			.toSorted((one, other) => other.spelling.length - one.spelling.length);
		const isLong = ({ spelling }: Hidden) => spelling.length >= MIN_CHARACTERS_ANYWHERE;
		const long = hidden.filter(isLong);
		// What stands in for one must not be taken for another: it is put in at the end.
		const marked = long.reduce(
			(rest, { spelling }, index) => rest.replaceAll(spelling, () => markOf(index)),
			text.replaceAll(MARK, ''),
		);
		const withoutLong = marked.replace(MARKED, (_mark, character: string) => {
			return long[character.charCodeAt(0) - FIRST_MARKED]?.shown ?? '';
		});
		return hideValues(
			withoutLong,
			hidden.filter((one) => !isLong(one)),
		);
	}
}

/** No character of a text, by Unicode's own rule. */
const MARK = '\ufffe';
const MARKED = /\ufffe([^\ufffe])\ufffe/g;
const FIRST_MARKED = 0x4e00;

/** Three characters, in which no password of four or more can be found. */
function markOf(index: number): string {
	return `${MARK}${String.fromCharCode(FIRST_MARKED + index)}${MARK}`;
}

/** A text that must not be seen, and what is shown in its place. */
interface Hidden {
	spelling: string;
	shown: string;
}

async function readFields(frame: Frame): Promise<string[]> {
	try {
		const reading = frame.locator('input[type=password]').evaluateAll(
			(fields, { maxFields, maxCharacters }) => {
				const values = fields
					.slice(0, maxFields + 1)
					.map((field) => (field as { value?: unknown }).value)
					.filter((value) => typeof value === 'string');
				const isTooMuch =
					fields.length > maxFields || values.some(({ length }) => length > maxCharacters);
				return isTooMuch ? 'too much' : values;
			},
			{ maxFields: MAX_FIELDS, maxCharacters: MAX_CHARACTERS },
		);
		const read = await (isUnloaded(frame) ? within(UNLOADED_LIMIT_MS, reading) : reading);
		if (read === 'too much') throw new Error(TOO_MANY);
		return read;
	} catch (error) {
		// A frame that has gone or is not loaded has no fields, and does not answer.
		if (frame.isDetached() || isUnloaded(frame)) return [];
		throw error;
	}
}

/** Whether a frame has not been loaded, such as one to which nobody has scrolled. */
export function isUnloaded(frame: Frame): boolean {
	return frame.url() === '';
}

function spellingsOf(value: string): string[] {
	const normalized = value
		.replace(/[\u200b\u00ad]/g, '')
		.replace(/\s+/g, ' ')
		.trim();
	const plain = [value, normalized];
	const spellings = plain.flatMap((one) => [
		one,
		JSON.stringify(one).slice(1, -1),
		one.replaceAll("'", "''"),
		JSON.stringify(one).slice(1, -1).replaceAll("'", "''"),
		encoded(one),
		encoded(one).replaceAll('%20', '+'),
		encodeURI(wellFormed(one)),
		encodeURI(wellFormed(one)).replaceAll("'", '%27'),
		// As forms send it, and the same in an address that is a part of another.
		asInForms(one),
		asInForms(one).replaceAll('+', '%20'),
		encoded(encoded(one)),
		encoded(asInForms(one)),
	]);
	return [...new Set(spellings)].filter((spelling) => spelling !== '');
}

function encoded(text: string): string {
	return encodeURIComponent(wellFormed(text));
}

function asInForms(text: string): string {
	return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Half of a surrogate pair can't be encoded. */
function wellFormed(text: string): string {
	return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** Hides short passwords where they are a field's value: with a placeholder, a text below it. */
function hideValues(text: string, hidden: Hidden[]): string {
	const found = hidden.filter(({ spelling }) => text.includes(spelling));
	if (found.length === 0) return text;

	const ends = found.flatMap(({ spelling, shown }) => [
		{ end: `: ${spelling}`, shown },
		{ end: `: "${spelling}"`, shown },
	]);
	return text
		.split('\n')
		.map((line) => {
			if (!/^\s*- (?:textbox\b|text:)/.test(line)) return line;
			const value = ends.find(({ end }) => line.endsWith(end));
			return value ? `${line.slice(0, -value.end.length)}: ${value.shown}` : line;
		})
		.join('\n');
}
