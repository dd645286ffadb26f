import type { INodeProperties } from 'n8n-workflow';

import {
	IDLE_TIMEOUT_MINUTES,
	MAX_DURATION_MINUTES,
	PROXY_COUNTRIES,
	VIEWPORT_PIXELS,
	type WholeNumberBounds,
} from '../service/models';
import type { BrowserConfig, RunBrowserAgentRequest } from '../service/types';
import { UserError } from '../errors/UserError';
import {
	readCollection,
	toBoolean,
	toChoice,
	toRequiredText,
	toText,
	toWholeNumber,
	type ParameterContext,
} from './readValue';

const CDP_SCHEMES = ['ws:', 'wss:', 'http:', 'https:'];

const PROXY_CHOICES = ['disabled', 'enabled', ...PROXY_COUNTRIES] as const;

/** The choice of the browser: the service's, with its options, or the user's own. */
export const browserFields: INodeProperties[] = [
	{
		displayName: 'Browser',
		name: 'browser',
		type: 'options',
		options: [
			{
				name: 'Provided by the Service',
				value: 'service',
				description: 'The service starts a browser for the job',
			},
			{
				name: 'Own Browser (CDP)',
				value: 'own',
				description: 'The service connects to your browser over the Chrome DevTools Protocol',
			},
		],
		default: 'service',
		description: 'The browser the agent works in',
	},
	{
		displayName: 'CDP URL',
		name: 'cdpUrl',
		type: 'string',
		typeOptions: { password: true },
		// Not `required`: n8n would want it whenever 'Browser' is an expression. The reader does.
		default: '',
		placeholder: 'e.g. wss://browser.example.com/devtools/browser/1a2b3c',
		description: 'DevTools Protocol address of your browser, reachable from the service',
		displayOptions: { show: { browser: ['own'] } },
	},
	{
		displayName: 'Live URL',
		name: 'liveUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://browser.example.com/live/1a2b3c',
		description: "Address at which your browser can be watched, for the service's web platform",
		displayOptions: { show: { browser: ['own'] } },
	},
	{
		displayName: 'Browser Options',
		name: 'browserConfig',
		type: 'collection',
		placeholder: 'Add Browser Option',
		default: {},
		displayOptions: { show: { browser: ['service'] } },
		options: [
			{
				displayName: 'Height',
				name: 'height',
				type: 'number',
				typeOptions: {
					minValue: VIEWPORT_PIXELS.min,
					maxValue: VIEWPORT_PIXELS.max,
					numberPrecision: 0,
				},
				default: 1080,
				description: 'Height of the page in pixels, from 320 to 4096',
			},
			{
				displayName: 'Idle Timeout Minutes',
				name: 'idleTimeoutMinutes',
				type: 'number',
				typeOptions: {
					minValue: IDLE_TIMEOUT_MINUTES.min,
					maxValue: IDLE_TIMEOUT_MINUTES.max,
					numberPrecision: 0,
				},
				default: 2,
				description: 'The job stops when it is idle for so many minutes, from 1 to 60',
			},
			{
				displayName: 'Keep Browser Open',
				name: 'keepBrowserOpen',
				type: 'boolean',
				default: false,
				description: 'Whether the browser stays open when the job is done',
			},
			{
				displayName: 'Max Duration Minutes',
				name: 'maxDurationMinutes',
				type: 'number',
				typeOptions: {
					minValue: MAX_DURATION_MINUTES.min,
					maxValue: MAX_DURATION_MINUTES.max,
					numberPrecision: 0,
				},
				default: 30,
				description: 'The job ends after so many minutes at the latest, from 1 to 240',
			},
			{
				displayName: 'Residential IP',
				name: 'residentialIp',
				type: 'options',
				options: [
					{ name: 'Australia', value: 'au' },
					{ name: 'Brazil', value: 'br' },
					{ name: 'Canada', value: 'ca' },
					{ name: 'Disabled', value: 'disabled' },
					{ name: 'Enabled (US)', value: 'enabled' },
					{ name: 'France', value: 'fr' },
					{ name: 'Germany', value: 'de' },
					{ name: 'India', value: 'in' },
					{ name: 'Japan', value: 'jp' },
					{ name: 'South Korea', value: 'kr' },
					{ name: 'United Kingdom', value: 'gb' },
					{ name: 'United States', value: 'us' },
				],
				default: 'disabled',
				description: 'The country of the home connection through which the browser surfs',
			},
			{
				displayName: 'Use User Browser Profile',
				name: 'useUserBrowserProfile',
				type: 'boolean',
				default: false,
				description:
					'Whether to use your saved profile, with its cookies and logins, instead of a clean one',
			},
			{
				displayName: 'Width',
				name: 'width',
				type: 'number',
				typeOptions: {
					minValue: VIEWPORT_PIXELS.min,
					maxValue: VIEWPORT_PIXELS.max,
					numberPrecision: 0,
				},
				default: 1920,
				description: 'Width of the page in pixels, from 320 to 4096',
			},
		],
	},
];

type BrowserRequest = Pick<RunBrowserAgentRequest, 'cdp_url' | 'live_url' | 'browser_config'>;

/**
 * Reads the fields of the chosen browser; the service applies its options only to a browser of its
 * own. Throws a `UserError` that names the field, but never shows a CDP address.
 */
export function readBrowser(context: ParameterContext, itemIndex: number): BrowserRequest {
	const value = context.getNodeParameter('browser', itemIndex, 'service');
	const browser = toChoice(value, 'Browser', ['service', 'own']);
	if (browser === 'own') {
		const liveUrl = toText(context.getNodeParameter('liveUrl', itemIndex, '')).trim();
		return {
			cdp_url: toCdpUrl(context.getNodeParameter('cdpUrl', itemIndex, '')),
			...(liveUrl === '' ? {} : { live_url: liveUrl }),
		};
	}
	const config = toBrowserConfig(readCollection(context, 'browserConfig', itemIndex));
	return Object.keys(config).length === 0 ? {} : { browser_config: config };
}

function toCdpUrl(value: unknown): string {
	const address = toRequiredText(value, 'CDP URL').trim();
	const scheme = /^[a-z][a-z0-9+.-]*:(?=\/\/[^/?#\s])/i.exec(address)?.[0].toLowerCase();
	if (scheme === undefined || !CDP_SCHEMES.includes(scheme)) {
		throw new UserError("'CDP URL' is not an address of a browser", {
			description: 'Enter an address that starts with wss://, ws://, https:// or http://.',
		});
	}
	return address;
}

// Only what was set goes out, each field read as what it has to be.
function toBrowserConfig(set: Record<string, unknown>): BrowserConfig {
	const wholeNumber = (name: string, field: string, bounds: WholeNumberBounds) =>
		name in set ? toWholeNumber(set[name], field, bounds) : undefined;
	const boolean = (name: string, field: string) =>
		name in set ? toBoolean(set[name], field) : undefined;

	const config: BrowserConfig = {
		width: wholeNumber('width', 'Width', VIEWPORT_PIXELS),
		height: wholeNumber('height', 'Height', VIEWPORT_PIXELS),
		residential_ip: 'residentialIp' in set ? toResidentialIp(set.residentialIp) : undefined,
		max_duration_minutes: wholeNumber(
			'maxDurationMinutes',
			'Max Duration Minutes',
			MAX_DURATION_MINUTES,
		),
		idle_timeout_minutes: wholeNumber(
			'idleTimeoutMinutes',
			'Idle Timeout Minutes',
			IDLE_TIMEOUT_MINUTES,
		),
		keep_browser_open: boolean('keepBrowserOpen', 'Keep Browser Open'),
		use_user_browser_profile: boolean('useUserBrowserProfile', 'Use User Browser Profile'),
	};
	return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function toResidentialIp(value: unknown): boolean | string {
	const choice = toChoice(value, 'Residential IP', PROXY_CHOICES);
	if (choice === 'disabled') return false;
	return choice === 'enabled' ? true : choice;
}
