/** At most `calls` in any span of `windowMs`. */
export interface RateLimit {
	calls: number;
	windowMs: number;
}

/** The calls that the service counts per account, each kind separately. */
export interface ServiceLimits {
	start: RateLimit;
	status: RateLimit;
	balance: RateLimit;
}

const MINUTE_MS = 60_000;

/** The limits of service-interface.md. */
export const SERVICE_LIMITS: ServiceLimits = {
	start: { calls: 10, windowMs: MINUTE_MS },
	status: { calls: 60, windowMs: MINUTE_MS },
	balance: { calls: 60, windowMs: MINUTE_MS },
};
