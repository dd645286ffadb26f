import type { Clock } from '../../async/clock';

/** A clock's time as a date, in ms since 1970. */
export function toDate(time: number, clock: Clock): number {
	return time - clock.now() + clock.date();
}

/** A date as a clock's time. */
export function toTime(date: number, clock: Clock): number {
	return date - clock.date() + clock.now();
}
