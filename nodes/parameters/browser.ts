import type { INodeProperties } from 'n8n-workflow';

import { UserError } from '../errors/UserError';
import {
	IDLE_TIMEOUT_MINUTES,
	MAX_DURATION_MINUTES,
	VIEWPORT_PIXELS,
} from '../service/documentedValues';
import type { BrowserConfig, RunBrowserAgentRequest } from '../service/types';
import {
	boolean,
	choice,
	readAddedOptions,
	readField,
	requiredText,
	sortedProperties,
	text,
	wholeNumber,
	type ParameterContext,
} from './field';

const CDP_ADDRESS = /^(?:ws|http)s?:\/\/[^/?#\s]/i;

const browserField = choice({
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
			name: 'Your Own Browser (CDP)',
			value: 'own',
			description: 'The service connects to your browser over the Chrome DevTools Protocol',
		},
	],
	default: 'service',
	description: 'Browser that the agent uses',
});

const cdpUrlField = requiredText({
	displayName: 'CDP URL',
	name: 'cdpUrl',
	type: 'string',
	typeOptions: { password: true },
	// If it were `required`, n8n would demand it whenever 'Browser' is an expression.
	default: '',
	placeholder: 'e.g. wss://browser.example.com/devtools/browser/1a2b3c',
	description:
		'Chrome DevTools Protocol URL of your browser, which the service must be able to reach',
	builderHint: { propertyHint: "Required with browser 'own'" },
	displayOptions: { show: { browser: ['own'] } },
});

const liveUrlField = text({
	displayName: 'Live URL',
	name: 'liveUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://browser.example.com/live/1a2b3c',
	description: "URL of a live view of your browser, for the service's web platform to show",
	displayOptions: { show: { browser: ['own'] } },
});

const COUNTRIES = [
	{ name: 'Australia', value: 'au' },
	{ name: 'Brazil', value: 'br' },
	{ name: 'Canada', value: 'ca' },
	{ name: 'Enabled (US)', value: 'enabled' },
	{ name: 'France', value: 'fr' },
	{ name: 'Germany', value: 'de' },
	{ name: 'India', value: 'in' },
	{ name: 'Japan', value: 'jp' },
	{ name: 'South Korea', value: 'kr' },
	{ name: 'United Kingdom', value: 'gb' },
	{ name: 'United States', value: 'us' },
];

// Not alphabetical: the way back to the default should not be hidden among the countries.
const RESIDENTIAL_IPS = [{ name: 'Disabled', value: 'disabled' }, ...COUNTRIES];

const BROWSER_OPTIONS = {
	height: wholeNumber({
		displayName: 'Height',
		name: 'height',
		type: 'number',
		default: 1080,
		description: 'Viewport height in pixels, from 320 to 4096',
		bounds: VIEWPORT_PIXELS,
	}),
	idleTimeoutMinutes: wholeNumber({
		displayName: 'Idle Timeout (Minutes)',
		name: 'idleTimeoutMinutes',
		type: 'number',
		default: 2,
		description: 'How long the job can be idle before it is stopped, from 1 to 60 minutes',
		bounds: IDLE_TIMEOUT_MINUTES,
	}),
	keepBrowserOpen: boolean({
		displayName: 'Keep Browser Open',
		name: 'keepBrowserOpen',
		type: 'boolean',
		default: false,
		description: 'Whether to keep the browser open after the job has finished, for a next task',
	}),
	maxDurationMinutes: wholeNumber({
		displayName: 'Max Duration (Minutes)',
		name: 'maxDurationMinutes',
		type: 'number',
		default: 30,
		description:
			'How long the job can run before it is stopped, from 1 to 240 minutes. Limits what a job can cost.',
		bounds: MAX_DURATION_MINUTES,
	}),
	residentialIp: choice({
		displayName: 'Residential IP',
		name: 'residentialIp',
		type: 'options',
		options: RESIDENTIAL_IPS,
		default: 'disabled',
		description: 'Country of the residential IP address that the browser uses',
	}),
	useUserBrowserProfile: boolean({
		displayName: 'Use Saved Browser Profile',
		name: 'useUserBrowserProfile',
		type: 'boolean',
		default: false,
		description:
			'Whether to use your saved browser profile, with its cookies and logins, instead of a new one',
	}),
	width: wholeNumber({
		displayName: 'Width',
		name: 'width',
		type: 'number',
		default: 1920,
		description: 'Viewport width in pixels, from 320 to 4096',
		bounds: VIEWPORT_PIXELS,
	}),
};

export const browserFields: INodeProperties[] = [
	browserField.property,
	cdpUrlField.property,
	liveUrlField.property,
	{
		displayName: 'Browser Options',
		name: 'browserConfig',
		type: 'collection',
		placeholder: 'Add Browser Option',
		default: {},
		displayOptions: { show: { browser: ['service'] } },
		options: sortedProperties(BROWSER_OPTIONS),
	},
];

type BrowserRequest = Pick<RunBrowserAgentRequest, 'cdp_url' | 'live_url' | 'browser_config'>;

/**
 * Reads the chosen browser and the options that are set; the request contains nothing else. Throws
 * a `UserError` that names the parameter.
 */
export function readBrowser(context: ParameterContext, itemIndex: number): BrowserRequest {
	if (readField(context, itemIndex, browserField) === 'service') {
		const config = readBrowserConfig(context, itemIndex);
		return Object.keys(config).length === 0 ? {} : { browser_config: config };
	}
	const cdp_url = readField(context, itemIndex, cdpUrlField).trim();
	if (!CDP_ADDRESS.test(cdp_url)) {
		throw new UserError("'CDP URL' is not a valid URL", {
			description: 'Enter a URL that starts with wss://, ws://, https:// or http://.',
		});
	}
	const live_url = readField(context, itemIndex, liveUrlField);
	return live_url === '' ? { cdp_url } : { cdp_url, live_url };
}

function readBrowserConfig(context: ParameterContext, itemIndex: number): BrowserConfig {
	const set = readAddedOptions(context, itemIndex, 'browserConfig', BROWSER_OPTIONS);
	const config: BrowserConfig = {
		width: set.width,
		height: set.height,
		residential_ip: toResidentialIp(set.residentialIp),
		max_duration_minutes: set.maxDurationMinutes,
		idle_timeout_minutes: set.idleTimeoutMinutes,
		keep_browser_open: set.keepBrowserOpen,
		use_user_browser_profile: set.useUserBrowserProfile,
	};
	return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function toResidentialIp(choice: string | undefined): boolean | string | undefined {
	if (choice === 'enabled') return true;
	if (choice === 'disabled') return false;
	return choice;
}
