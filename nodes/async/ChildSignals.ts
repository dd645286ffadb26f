/**
 * Signals that are aborted together with `parent`, of which any number may be open: one listener on
 * `parent` serves them all, since Node.js warns of a leak when a signal has many. Once closed they
 * cost nothing; those of `AbortSignal.any` stay for the garbage collector.
 */
export class ChildSignals {
	private readonly open = new Set<AbortController>();

	private readonly abortAll = () => {
		for (const child of this.open) child.abort(this.parent.reason);
	};

	constructor(private readonly parent: AbortSignal) {}

	/** Does `work` with a signal of its own, which is closed when `work` has ended. */
	lend<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
		const child = new AbortController();
		if (this.parent.aborted) child.abort(this.parent.reason);
		if (this.open.size === 0) this.parent.addEventListener('abort', this.abortAll);
		this.open.add(child);
		return work(child.signal).finally(() => {
			this.open.delete(child);
			if (this.open.size === 0) this.parent.removeEventListener('abort', this.abortAll);
		});
	}
}
