import type { JobScript } from '../types';

/** Job scripts that wait for the next starts. */
export class ScriptQueue {
	private readonly waiting: JobScript[] = [];

	add(scripts: JobScript[]): void {
		this.waiting.push(...scripts);
	}

	/** Removes and returns the first script that is for one of these texts, or else an empty one. */
	take(...texts: string[]): JobScript {
		const index = this.waiting.findIndex(
			({ match }) => match === undefined || texts.some((text) => text.includes(match)),
		);
		if (index < 0) return {};
		return this.waiting.splice(index, 1)[0] ?? {};
	}
}
