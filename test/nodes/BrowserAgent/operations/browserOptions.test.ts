import {
	browserOptionsField,
	toBrowserRequest,
} from '../../../../nodes/BrowserAgent/operations/browserOptions';
import { valuesIn } from '../../../support/parameterContext';

function requestIn(parameters: Record<string, unknown>) {
	const { browserConfig } = valuesIn(parameters, { browserConfig: browserOptionsField });
	return toBrowserRequest(browserConfig);
}

const requestOf = (browserConfig: Record<string, unknown>) => requestIn({ browserConfig });

describe('A browser of the service', () => {
	it.each<[string, Record<string, unknown>]>([
		['not stored', {}],
		['empty', { browserConfig: {} }],
	])('is sent as nothing when Browser Options is %s', (_label, parameters) => {
		expect(requestIn(parameters)).toStrictEqual({});
	});

	it.each<[Record<string, unknown>, object]>([
		[{ width: 320 }, { width: 320 }],
		[{ width: '4096' }, { width: 4096 }],
		[{ height: 4096 }, { height: 4096 }],
		[{ maxDurationMinutes: 240 }, { max_duration_minutes: 240 }],
		[{ idleTimeoutMinutes: 60 }, { idle_timeout_minutes: 60 }],
		[{ keepBrowserOpen: 'false' }, { keep_browser_open: false }],
		[{ useUserBrowserProfile: true }, { use_user_browser_profile: true }],
		[{ residentialIp: 'disabled' }, { residential_ip: false }],
		[{ residentialIp: 'enabled' }, { residential_ip: true }],
		[
			{ width: 800, residentialIp: 'de' },
			{ width: 800, residential_ip: 'de' },
		],
	])('is sent with only what is set: %j', (browserConfig, expected) => {
		expect(requestOf(browserConfig)).toStrictEqual({ browser_config: expected });
	});

	it.each<[Record<string, unknown>, string]>([
		[{ width: 319 }, "'Width' must be between 320 and 4096 (got 319)"],
		[{ maxDurationMinutes: 241 }, "'Max Duration (Minutes)' must be between 1 and 240 (got 241)"],
		[{ residentialIp: 'es' }, "'Residential IP' has no option 'es'"],
	])('rejects %j', (browserConfig, message) => {
		expect(() => requestOf(browserConfig)).toThrow(message);
	});
});

describe("The user's own browser", () => {
	it.each([
		['wss://browser.example.com/devtools/browser/1a2b3c'],
		['https://browser.example.com?token=t'],
		['HTTP://localhost:9222'],
	])('is sent with the address %s', (cdpUrl) => {
		expect(requestOf({ cdpUrl: ` ${cdpUrl}\n` })).toStrictEqual({ cdp_url: cdpUrl });
	});

	it.each([
		['live address', ' https://b ', { live_url: 'https://b' }],
		['empty live address', '', {}],
	])('is sent with a %s', (_label, liveUrl, expected) => {
		expect(requestOf({ cdpUrl: 'wss://a', liveUrl })).toStrictEqual({
			cdp_url: 'wss://a',
			...expected,
		});
	});

	it.each<[string, unknown]>([
		['without a scheme', 'browser.example.com'],
		['without a host', 'wss:///devtools'],
		['with another scheme', 'ftp://secret.example.com'],
		['with space before the host', 'wss:// secret.example.com'],
		['with a scheme within', 'x wss://secret.example.com'],
	])('is rejected with an address %s, which is not shown', (_label, cdpUrl) => {
		expect(() => requestOf({ cdpUrl })).toThrow(
			expect.objectContaining({
				message: "'Own Browser CDP URL' is not a valid URL",
				details: {
					description: 'Enter a URL that starts with wss://, ws://, https:// or http://.',
				},
			}),
		);
	});

	it.each([[undefined], [' \n']])(
		'is rejected with the address %p instead of using a browser of the service',
		(cdpUrl) => {
			expect(() => requestOf({ cdpUrl })).toThrow("'Own Browser CDP URL' is empty");
		},
	);

	it.each<[Record<string, unknown>, string]>([
		[{ width: 800 }, "'Width'"],
		[{ keepBrowserOpen: true, width: 800 }, "'Keep Browser Open', 'Width'"],
	])('is rejected beside %j, which applies to browsers of the service', (others, named) => {
		expect(() => requestOf({ ...others, cdpUrl: 'wss://secret.example.com' })).toThrow(
			`${named} can't be combined with 'Own Browser CDP URL'`,
		);
	});

	it('is rejected with a live address alone', () => {
		expect(() => requestOf({ liveUrl: 'https://b' })).toThrow(
			"'Own Browser Live URL' is set without 'Own Browser CDP URL'",
		);
	});

	it('is not meant by an empty live address alone', () => {
		expect(requestOf({ liveUrl: '' })).toStrictEqual({});
	});
});
