import { format } from '@cfworker/json-schema';

import { parseUrl } from '../service/baseUrl';

const IPV4 = /^(?:(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

/** The formats that are checked. */
export const FORMATS = [
	'date',
	'date-time',
	'duration',
	'email',
	'hostname',
	'ipv4',
	'ipv6',
	'json-pointer',
	'json-pointer-uri-fragment',
	'relative-json-pointer',
	'time',
	'uri',
	'uri-reference',
	'uri-template',
	'uuid',
];

// The library looks up formats in this table, which it exports. Its own check of 'uri' refuses
// letters that are not ASCII, as browsers show them; that of 'ipv4' accepts leading zeros.
Object.assign(format, {
	uri: (text: string) => parseUrl(text) !== undefined,
	ipv4: (text: string) => IPV4.test(text),
});
