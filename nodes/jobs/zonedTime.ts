const FIELDS = {
	hourCycle: 'h23',
	year: 'numeric',
	month: '2-digit',
	day: '2-digit',
	hour: '2-digit',
	minute: '2-digit',
	second: '2-digit',
	timeZoneName: 'longOffset',
} as const;

/**
 * Returns a time as people in a time zone read it, with its offset, e.g. `2026-11-28 14:03:12
 * +01:00`. An unknown zone counts as UTC. `timestamp`: in ms, from `Clock.now()`.
 */
export function zonedTime(timestamp: number, timeZone: string): string {
	const parts = formatFor(timeZone).formatToParts(timestamp);
	const part = (type: Intl.DateTimeFormatPartTypes) =>
		parts.find((one) => one.type === type)?.value ?? '';
	const date = [part('year'), part('month'), part('day')].join('-');
	const time = [part('hour'), part('minute'), part('second')].join(':');
	// "GMT+01:00", or only "GMT".
	const offset = part('timeZoneName').slice('GMT'.length) || '+00:00';
	return `${date} ${time} ${offset}`;
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
	try {
		return new Intl.DateTimeFormat('en-US', { ...FIELDS, timeZone });
	} catch {
		return new Intl.DateTimeFormat('en-US', { ...FIELDS, timeZone: 'UTC' });
	}
}
