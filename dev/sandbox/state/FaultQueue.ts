import type { EndpointName, Fault } from '../types';

interface Waiting {
	fault: Fault;
	skip: number;
	timesLeft: number;
}

/** Faults waiting for the calls they are to spoil. */
export class Faults {
	private waiting: Waiting[] = [];

	add(fault: Fault): void {
		const timesLeft = fault.times === 'always' ? Infinity : (fault.times ?? 1);
		this.waiting.push({ fault, skip: fault.skip ?? 0, timesLeft });
	}

	clear(): void {
		this.waiting = [];
	}

	/** The fault for this call, if any. Of several that fit, the first one is used up first. */
	take(endpoint: EndpointName, jobId: string | undefined): Fault | undefined {
		for (const entry of this.waiting) {
			if (!fits(entry.fault, endpoint, jobId)) continue;
			if (entry.skip > 0) {
				entry.skip--;
				continue;
			}
			entry.timesLeft--;
			if (entry.timesLeft <= 0) this.waiting = this.waiting.filter((other) => other !== entry);
			return entry.fault;
		}
		return undefined;
	}
}

function fits(fault: Fault, endpoint: EndpointName, jobId: string | undefined): boolean {
	if (fault.endpoint !== '*' && fault.endpoint !== endpoint) return false;
	return fault.jobId === undefined || fault.jobId === jobId;
}
