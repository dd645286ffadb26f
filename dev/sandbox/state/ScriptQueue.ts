import type { JobScript } from '../types';

/** Scripts waiting for the starts to come, first come, first served. */
export class Scripts {
	private readonly waiting: JobScript[] = [];

	add(scripts: JobScript[]): void {
		this.waiting.push(...scripts);
	}

	/** The script of a start with this directive or workflow ID; an empty one when none waits for it. */
	take(...texts: string[]): JobScript {
		const index = this.waiting.findIndex(
			({ match }) => match === undefined || texts.some((text) => text.includes(match)),
		);
		return (index >= 0 && this.waiting.splice(index, 1)[0]) || {};
	}
}
