import type { EndpointName, Fault } from '../types';

interface Entry {
	fault: Fault;
	skip: number;
	timesLeft: number;
}

/** Faults that wait for matching requests. */
export class FaultQueue {
	private entries: Entry[] = [];

	add(fault: Fault): void {
		const timesLeft = fault.times === 'always' ? Infinity : (fault.times ?? 1);
		this.entries.push({ fault, skip: fault.skip ?? 0, timesLeft });
	}

	clear(): void {
		this.entries = [];
	}

	/** Returns the fault for this request, if any: the first one added that matches. */
	take(endpoint: EndpointName, jobId: string | undefined): Fault | undefined {
		for (const entry of this.entries) {
			if (!matches(entry.fault, endpoint, jobId)) continue;
			if (entry.skip > 0) {
				entry.skip--;
				continue;
			}
			entry.timesLeft--;
			if (entry.timesLeft <= 0) this.entries = this.entries.filter((other) => other !== entry);
			return entry.fault;
		}
		return undefined;
	}
}

function matches(fault: Fault, endpoint: EndpointName, jobId: string | undefined): boolean {
	if (fault.endpoint !== '*' && fault.endpoint !== endpoint) return false;
	return fault.jobId === undefined || fault.jobId === jobId;
}
