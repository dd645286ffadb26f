import { writeFileSync } from 'node:fs';
import { GIFEncoder, nearestColorIndex, quantize } from 'gifenc';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';

/** The index of "as before": one colour fewer than a GIF can have is left for the rest. */
const UNCHANGED = 255;

interface Frame {
	/** One number for each pixel. */
	pixels: Uint32Array;
	width: number;
	height: number;
	delay: number;
}

/** A moving picture of a page, made of screenshots, each shown for a given time. */
export class Film {
	private readonly frames: Frame[] = [];

	constructor(
		private readonly page: Page,
		private readonly style: string,
	) {}

	/** Adds what the page shows now, or another one of the same size. */
	async show(ms: number, page = this.page): Promise<void> {
		const { style } = this;
		const picture = await page.screenshot({ style, caret: 'initial', animations: 'disabled' });
		const { data, width, height } = PNG.sync.read(picture);
		const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
		this.frames.push({ pixels, width, height, delay: ms });
	}

	/** Begins the film with what it shows last: a page that shows no moving pictures has this one. */
	beginWithEnd(ms: number): void {
		const end = this.frames.at(-1);
		if (end !== undefined) this.frames.unshift({ ...end, delay: ms });
	}

	/** Writes the film as a GIF that repeats for ever. */
	save(file: string): { totalMs: number; bytes: number } {
		const gif = GIFEncoder();
		// The same colours in all frames, or what has changed would not fit what has not.
		const palette = quantize(bytesOf(this.allChanges()), UNCHANGED);
		const indexOf = toIndexIn(palette);
		while (palette.length <= UNCHANGED) palette.push([0, 0, 0]);
		for (const [position, { pixels, width, height, delay }] of this.frames.entries()) {
			const before = this.frames[position - 1]?.pixels;
			const colors = Uint8Array.from(pixels, (pixel, index) =>
				pixel === before?.[index] ? UNCHANGED : indexOf(pixel),
			);
			const options = {
				palette,
				delay,
				transparent: true,
				transparentIndex: UNCHANGED,
				dispose: 1,
			};
			gif.writeFrame(colors, width, height, options);
		}
		gif.finish();
		writeFileSync(file, gif.bytes());
		const totalMs = this.frames.reduce((sum, { delay }) => sum + delay, 0);
		return { totalMs, bytes: gif.bytes().length };
	}

	private allChanges(): Uint32Array {
		const changes = this.frames.map(({ pixels }, position) => {
			const before = this.frames[position - 1]?.pixels;
			return pixels.filter((pixel, index) => pixel !== before?.[index]);
		});
		const all = new Uint32Array(changes.reduce((sum, { length }) => sum + length, 0));
		let end = 0;
		for (const change of changes) {
			all.set(change, end);
			end += change.length;
		}
		return all;
	}
}

// Once for each colour, so that equal pixels look alike in all frames.
function toIndexIn(palette: number[][]): (pixel: number) => number {
	const colors = palette.slice();
	const known = new Map<number, number>();
	return (pixel) => {
		const rgb = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
		const index = known.get(pixel) ?? nearestColorIndex(colors, rgb);
		known.set(pixel, index);
		return index;
	};
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
	return new Uint8Array(buffer, byteOffset, byteLength);
}
