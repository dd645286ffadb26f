import type { Frame, Page } from 'playwright-core';

import { within } from '../abort';

/** What stands in for a password. */
export const FILLED = '(filled)';

/** A shorter one is hidden where it stands as a field's value only: it may be part of any word. */
const MIN_CHARACTERS_ANYWHERE = 4;

const READ_LIMIT_MS = 10_000;

/**
 * The passwords that a job has met: what has stood in a password field while its pages were read,
 * whoever has entered it. They are hidden in all that leaves the browser.
 */
export class Passwords {
	private readonly values = new Set<string>();

	/** Enters a password, such as one that is about to be typed. */
	add(value: string): void {
		if (value !== '') this.values.add(value);
	}

	/**
	 * Enters what stands in the password fields of the page, its frames and their open shadow roots.
	 * Rejects when a frame does not answer: what it shows must not be used then.
	 */
	async readFrom(page: Page): Promise<void> {
		await within(READ_LIMIT_MS, Promise.all(page.frames().map((frame) => this.readFrame(frame))));
	}

	private async readFrame(frame: Frame): Promise<void> {
		try {
			const values = await frame
				.locator('input[type=password]')
				.evaluateAll((fields) => fields.map((field) => (field as { value?: unknown }).value));
			for (const value of values) if (typeof value === 'string') this.add(value);
		} catch (error) {
			// The frame has gone, and its fields with it.
			if (!frame.isDetached()) throw error;
		}
	}

	/** The text with each password replaced, in the spellings of snapshots and addresses, too. */
	hide(text: string): string {
		const spellings = [...this.values]
			.flatMap(spellingsOf)
			.toSorted((one, other) => other.length - one.length);
		return spellings.reduce(hideSpelling, text);
	}
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
		encoded(one),
		encoded(one).replaceAll('%20', '+'),
		encodeURI(wellFormed(one)),
	]);
	return [...new Set(spellings)].filter((spelling) => spelling !== '');
}

function encoded(text: string): string {
	return encodeURIComponent(wellFormed(text));
}

/** Half of a surrogate pair can't be encoded. */
function wellFormed(text: string): string {
	return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function hideSpelling(text: string, spelling: string): string {
	if (spelling.length >= MIN_CHARACTERS_ANYWHERE) return text.replaceAll(spelling, FILLED);
	if (!text.includes(spelling)) return text;

	// With a placeholder, a field's value is a text below it.
	const ends = [`: ${spelling}`, `: "${spelling}"`];
	return text
		.split('\n')
		.map((line) => {
			const end =
				/^\s*- (?:textbox\b|text:)/.test(line) && ends.find((value) => line.endsWith(value));
			return end ? `${line.slice(0, -end.length)}: ${FILLED}` : line;
		})
		.join('\n');
}
