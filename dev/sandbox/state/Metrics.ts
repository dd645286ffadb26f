import { type Counters, type EndpointName, endpointSchema } from '../types';

/** The counters of one sandbox, apart from those of its rate limits. */
export class Metrics {
	readonly counters: Omit<Counters, 'maxInWindow'> = {
		starts: 0,
		polls: 0,
		rateLimited: 0,
		faults: 0,
		requests: Object.fromEntries(
			[...endpointSchema.options, 'unknown'].map((name) => [name, 0]),
		) as Counters['requests'],
	};

	countRequest(endpoint: EndpointName | 'unknown'): void {
		this.counters.requests[endpoint]++;
		if (endpoint === 'getJob') this.counters.polls++;
	}
}
