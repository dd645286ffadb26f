import { NodeFailure } from '../../errors/NodeFailure';
import { omitUndefined } from '../../jobs/item';
import {
	boolean,
	choice,
	collection,
	optional,
	requiredText,
	sortedProperties,
	text,
	wholeNumber,
	type Values,
} from '../../parameters/field';
import {
	IDLE_TIMEOUT_MINUTES,
	MAX_DURATION_MINUTES,
	VIEWPORT_PIXELS,
} from '../../service/documentedValues';
import type { BrowserConfig, RunBrowserAgentRequest } from '../../service/types';

const CDP_ADDRESS = /^(?:ws|http)s?:\/\/[^/?#\s]/i;

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
	height: optional(
		wholeNumber({
			displayName: 'Height',
			name: 'height',
			type: 'number',
			default: 1080,
			description: 'Viewport height in pixels, from 320 to 4096',
			bounds: VIEWPORT_PIXELS,
		}),
	),
	idleTimeoutMinutes: optional(
		wholeNumber({
			displayName: 'Idle Timeout (Minutes)',
			name: 'idleTimeoutMinutes',
			type: 'number',
			default: 2,
			description: 'How long the job can be idle before it is stopped, from 1 to 60 minutes',
			bounds: IDLE_TIMEOUT_MINUTES,
		}),
	),
	keepBrowserOpen: optional(
		boolean({
			displayName: 'Keep Browser Open',
			name: 'keepBrowserOpen',
			type: 'boolean',
			default: false,
			description: 'Whether to keep the browser open after the job has finished, for a next task',
		}),
	),
	maxDurationMinutes: optional(
		wholeNumber({
			displayName: 'Max Duration (Minutes)',
			name: 'maxDurationMinutes',
			type: 'number',
			default: 30,
			description:
				'How long the job can run before it is stopped, from 1 to 240 minutes. Limits what a job can cost.',
			bounds: MAX_DURATION_MINUTES,
		}),
	),
	cdpUrl: optional(
		requiredText({
			displayName: 'Own Browser CDP URL',
			name: 'cdpUrl',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			placeholder: 'e.g. wss://browser.example.com/devtools/browser/1a2b3c',
			description:
				"Chrome DevTools Protocol URL of your own browser, which the service must reach. Not together with other browser options, except 'Own Browser Live URL'.",
			builderHint: {
				propertyHint:
					"It can't be combined with other fields of browserConfig, except liveUrl. To limit the cost, use options.maxWaitMinutes with pauseJob 'onEarlyEnd'.",
			},
		}),
	),
	liveUrl: optional(
		text({
			displayName: 'Own Browser Live URL',
			name: 'liveUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://browser.example.com/live/1a2b3c',
			description:
				"URL of a live view of your own browser, for the service's web platform to show. Only together with 'Own Browser CDP URL'.",
		}),
	),
	residentialIp: optional(
		choice({
			displayName: 'Residential IP',
			name: 'residentialIp',
			type: 'options',
			options: RESIDENTIAL_IPS,
			default: 'disabled',
			description: 'Country of the residential IP address that the browser uses',
		}),
	),
	useUserBrowserProfile: optional(
		boolean({
			displayName: 'Use Saved Browser Profile',
			name: 'useUserBrowserProfile',
			type: 'boolean',
			default: false,
			description:
				'Whether to use your saved browser profile, with its cookies and logins, instead of a new one',
		}),
	),
	width: optional(
		wholeNumber({
			displayName: 'Width',
			name: 'width',
			type: 'number',
			default: 1920,
			description: 'Viewport width in pixels, from 320 to 4096',
			bounds: VIEWPORT_PIXELS,
		}),
	),
};

export const browserOptionsField = collection(
	{
		displayName: 'Browser Options',
		name: 'browserConfig',
		placeholder: 'Add Browser Option',
	},
	BROWSER_OPTIONS,
);

type BrowserOptions = Values<typeof BROWSER_OPTIONS>;

type BrowserRequest = Pick<RunBrowserAgentRequest, 'cdp_url' | 'live_url' | 'browser_config'>;

/**
 * Returns the browser options that are set, as a start has them. A CDP URL that was added always
 * means the user's own browser: one that is empty, e.g. because its expression has no value, is an
 * error, since the job would otherwise run in a new browser without the user's logins.
 *
 * Throws a `NodeFailure` that names the parameter for an invalid option, for an option of the
 * service's browsers beside a CDP URL, and for a live URL without one.
 */
export function toBrowserRequest(options: BrowserOptions): BrowserRequest {
	const { cdpUrl, liveUrl = '', ...others } = { ...options };
	if (cdpUrl !== undefined) {
		return toOwnBrowser(cdpUrl.trim(), liveUrl, Object.keys(omitUndefined(others)));
	}
	if (liveUrl !== '') {
		throw new NodeFailure("'Own Browser Live URL' is set without 'Own Browser CDP URL'", {
			description: "Add 'Own Browser CDP URL' under 'Browser Options', or remove the live URL.",
		});
	}
	const config = toBrowserConfig(others);
	return Object.keys(config).length === 0 ? {} : { browser_config: config };
}

/** `others`: the names of the options that apply to the service's own browsers only. */
function toOwnBrowser(cdp_url: string, live_url: string, others: string[]): BrowserRequest {
	if (!CDP_ADDRESS.test(cdp_url)) {
		throw new NodeFailure("'Own Browser CDP URL' is not a valid URL", {
			description: 'Enter a URL that starts with wss://, ws://, https:// or http://.',
		});
	}
	if (others.length > 0) {
		const properties = sortedProperties(BROWSER_OPTIONS);
		const named = properties
			.filter(({ name }) => others.includes(name))
			.map(({ displayName }) => `'${displayName}'`);
		throw new NodeFailure(`${named.join(', ')} can't be combined with 'Own Browser CDP URL'`, {
			description:
				"The service applies such options only to browsers that it provides. Remove them, or remove 'Own Browser CDP URL'.",
		});
	}
	return live_url === '' ? { cdp_url } : { cdp_url, live_url };
}

function toBrowserConfig(set: Omit<BrowserOptions, 'cdpUrl' | 'liveUrl'>): BrowserConfig {
	return omitUndefined({
		width: set.width,
		height: set.height,
		residential_ip: toResidentialIp(set.residentialIp),
		max_duration_minutes: set.maxDurationMinutes,
		idle_timeout_minutes: set.idleTimeoutMinutes,
		keep_browser_open: set.keepBrowserOpen,
		use_user_browser_profile: set.useUserBrowserProfile,
	} satisfies BrowserConfig);
}

function toResidentialIp(choice: string | undefined): boolean | string | undefined {
	if (choice === 'enabled') return true;
	if (choice === 'disabled') return false;
	return choice;
}
