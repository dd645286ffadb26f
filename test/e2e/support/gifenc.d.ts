/** The part of gifenc that is used here; the package has no types of its own. */
declare module 'gifenc' {
	export type Palette = number[][];

	export interface FrameOptions {
		palette: Palette;
		/** In ms. */
		delay: number;
		transparent: boolean;
		transparentIndex: number;
		/** 1: the next frame is drawn over this one. */
		dispose: number;
	}

	export function GIFEncoder(): {
		writeFrame(index: Uint8Array, width: number, height: number, options: FrameOptions): void;
		finish(): void;
		bytes(): Uint8Array;
	};

	export function quantize(rgba: Uint8Array, maxColors: number): Palette;

	export function nearestColorIndex(palette: Palette, color: number[]): number;
}
