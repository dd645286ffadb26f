import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';

const FILE_NAME = 'texts.json';
// Each picture shows another one.
const JOB_ID = /job_[0-9a-f]+/g;
// Shown only at the field that the mouse points to.
const NOT_SHOWN = ['', 'Fixed', 'Expression'];

/** The parts of a DOM element that are needed here. */
interface HasText {
	innerText: string;
	querySelectorAll(selector: string): Iterable<{ value: string; offsetParent: unknown }>;
}

/** The texts that the pictures in a folder show, by picture, in a file beside them. */
export class PictureTexts {
	private readonly file: string;
	private readonly recorded: Record<string, string[]>;

	constructor(
		folder: string,
		private readonly isRetaken: boolean,
	) {
		this.file = path.join(folder, FILE_NAME);
		this.recorded = JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, string[]>;
	}

	/** The names of the pictures with texts. */
	get pictures(): string[] {
		return Object.keys(this.recorded);
	}

	/**
	 * Expects that the picture shows these texts, or records them if the picture has been retaken.
	 */
	check(picture: string, texts: string[]): void {
		if (!this.isRetaken) {
			// If this fails, `npm run docs:screenshots` takes the picture again.
			expect(texts).toEqual(this.recorded[picture]);
			return;
		}
		this.recorded[picture] = texts;
		const sorted = Object.entries(this.recorded).sort(([one], [other]) => (one < other ? -1 : 1));
		writeFileSync(this.file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
	}
}

/** The visible texts of these parts of the editor, line by line, and the choices in their lists. */
export async function textsOf(...parts: Locator[]): Promise<string[]> {
	const texts: string[] = [];
	for (const part of parts) {
		const found = await part.evaluateAll((elements: HasText[]) =>
			elements.flatMap((element) => [
				element.innerText,
				...[...element.querySelectorAll('.el-select input')]
					.filter(({ offsetParent }) => offsetParent !== null)
					.map(({ value }) => value),
			]),
		);
		texts.push(...found);
	}
	return texts
		.flatMap((text) => text.split('\n'))
		.map((line) => line.trim().replace(JOB_ID, 'job_…'))
		.filter((line) => !NOT_SHOWN.includes(line));
}
