import { readBrowser } from '../../../nodes/parameters/browser';
import { parameterContext } from '../../support/parameterContext';

const COUNTRIES = ['us', 'ca', 'gb', 'de', 'fr', 'au', 'jp', 'in', 'br', 'kr'];

const browserOf = (parameters: Record<string, unknown>) =>
	readBrowser(parameterContext(parameters), 0);
const configOf = (browserConfig: Record<string, unknown>) => browserOf({ browserConfig });

describe("'Browser' of the service", () => {
	it.each<[string, Record<string, unknown>]>([
		['not stored', {}],
		['chosen, without options', { browser: 'service', browserConfig: {} }],
		[
			"chosen beside addresses of the user's own browser",
			{ browser: 'service', cdpUrl: 'wss://a', liveUrl: 'b' },
		],
	])('sends nothing when it is %s', (_label, parameters) => {
		expect(browserOf(parameters)).toStrictEqual({});
	});

	it.each<[Record<string, unknown>, object]>([
		[{ width: 320 }, { width: 320 }],
		[{ width: '4096' }, { width: 4096 }],
		[{ height: 320 }, { height: 320 }],
		[{ height: 4096 }, { height: 4096 }],
		[{ maxDurationMinutes: 1 }, { max_duration_minutes: 1 }],
		[{ maxDurationMinutes: 240 }, { max_duration_minutes: 240 }],
		[{ idleTimeoutMinutes: 1 }, { idle_timeout_minutes: 1 }],
		[{ idleTimeoutMinutes: 60 }, { idle_timeout_minutes: 60 }],
		[{ keepBrowserOpen: true }, { keep_browser_open: true }],
		[{ keepBrowserOpen: 'false' }, { keep_browser_open: false }],
		[{ useUserBrowserProfile: 'true' }, { use_user_browser_profile: true }],
		[{ residentialIp: 'disabled' }, { residential_ip: false }],
		[{ residentialIp: 'enabled' }, { residential_ip: true }],
		...COUNTRIES.map((code): [Record<string, unknown>, object] => [
			{ residentialIp: code },
			{ residential_ip: code },
		]),
		[
			{ width: 800, height: 600, residentialIp: 'de' },
			{ width: 800, height: 600, residential_ip: 'de' },
		],
	])('sends only what is set: %j', (browserConfig, expected) => {
		expect(configOf(browserConfig)).toStrictEqual({ browser_config: expected });
	});

	it.each<[Record<string, unknown>, string]>([
		[{ width: 319 }, "'Width' must be between 320 and 4096 (got 319)"],
		[{ width: 4097 }, "'Width' must be between 320 and 4096 (got 4097)"],
		[{ height: 319 }, "'Height' must be between 320 and 4096 (got 319)"],
		[{ height: 800.5 }, "'Height' is not a whole number: 800.5"],
		[{ maxDurationMinutes: 241 }, "'Max Duration (Minutes)' must be between 1 and 240 (got 241)"],
		[{ maxDurationMinutes: 0 }, "'Max Duration (Minutes)' must be between 1 and 240 (got 0)"],
		[{ idleTimeoutMinutes: 61 }, "'Idle Timeout (Minutes)' must be between 1 and 60 (got 61)"],
		[{ idleTimeoutMinutes: 'x' }, "'Idle Timeout (Minutes)' is not a number: 'x'"],
		[{ keepBrowserOpen: 'x' }, "'Keep Browser Open' is neither true nor false: 'x'"],
		[{ useUserBrowserProfile: 1 }, "'Use Saved Browser Profile' is neither true nor false: '1'"],
		[{ residentialIp: 'es' }, "'Residential IP' has no option 'es'"],
		[{ residentialIp: true }, "'Residential IP' has no option 'true'"],
	])('rejects %j', (browserConfig, message) => {
		expect(() => configOf(browserConfig)).toThrow(message);
	});
});

describe("'Browser' of the user", () => {
	it.each([
		['wss://browser.example.com/devtools/browser/1a2b3c'],
		['ws://10.0.0.1:9222'],
		['https://browser.example.com?token=t'],
		['HTTP://localhost:9222'],
	])('sends the address %s', (cdpUrl) => {
		expect(browserOf({ browser: 'own', cdpUrl: ` ${cdpUrl}\n` })).toStrictEqual({
			cdp_url: cdpUrl,
		});
	});

	it('sends the live address, and no options of the service', () => {
		const browserConfig = { width: 800 };
		const parameters = { browser: 'own', cdpUrl: 'wss://a', liveUrl: ' https://b ', browserConfig };

		expect(browserOf(parameters)).toStrictEqual({ cdp_url: 'wss://a', live_url: 'https://b' });
	});

	it.each<[string, unknown]>([
		['without a scheme', 'browser.example.com'],
		['without a host', 'wss:///devtools'],
		['with another scheme', 'ftp://secret.example.com'],
		['with space before the host', 'wss:// secret.example.com'],
		['with a scheme within', 'x wss://secret.example.com'],
	])('rejects an address %s, and does not show it', (_label, cdpUrl) => {
		expect(() => browserOf({ browser: 'own', cdpUrl })).toThrow(
			expect.objectContaining({
				message: "'CDP URL' is not a valid URL",
				details: {
					description: 'Enter a URL that starts with wss://, ws://, https:// or http://.',
				},
			}),
		);
	});

	it.each([[undefined], [''], [' ']])('rejects an empty address: %p', (cdpUrl) => {
		expect(() => browserOf({ browser: 'own', cdpUrl })).toThrow("'CDP URL' is empty");
	});

	it('rejects a browser that is neither', () => {
		expect(() => browserOf({ browser: 'local' })).toThrow("'Browser' has no option 'local'");
	});
});
