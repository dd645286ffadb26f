import path from 'node:path';

import { readSecrets, type Secret } from './secrets';
import { SettingError } from './SettingError';

/** Who answers for a model: one of three vendors, or any OpenAI-compatible server. */
export type Provider = 'openai' | 'anthropic' | 'google' | 'local';

/** A model in `MODELS`. */
export interface ModelChoice {
	provider: Provider;
	/** What the model's server is asked for. It may contain slashes. */
	name: string;
	/** `provider/name`, as in `MODELS`. */
	label: string;
}

/** The settings of a local service, as local-service/README.md lists them. */
export interface Settings {
	/** At least one; the first is the default. */
	models: ModelChoice[];
	/** The models' API keys. A `local` server may need none. */
	modelKeys: Partial<Record<Provider, string>>;
	/** Where the models are, without a trailing slash. `local` only with `MODEL_BASE_URL`. */
	modelUrls: Partial<Record<Provider, string>>;
	/** For one step, with all its tries. */
	modelTimeoutMinutes: number;
	/** Of a page, as shown to the model. */
	modelMaxCharacters: number;
	agentMaxSteps: number;
	host: string;
	/** 0 takes any free port. */
	port: number;
	/** The origin in `live_url` and `history_url`. Unset: that of `host` and `port`. */
	url?: string;
	/** Further names that a request's Host header may have, in lower case and without a port. */
	ownHosts: string[];
	/** Unset: made at the first start, and kept in the folder. */
	apiKey?: string;
	/** Absolute path. */
	dataFolder: string;
	/** How many jobs run at a time. */
	maxJobs: number;
	/** For 30 days, one a step. Unset: unlimited. */
	credits?: number;
	/** Of the data folder. */
	maxGb: number;
	/** Path of the browser. Unset: the first that is found. */
	chromiumBin?: string;
	chromiumSandbox: boolean;
	/** Private hosts that the browser may reach: `name` or `name:port`, in lower case. */
	allowedHosts: string[];
	/** The only hosts, with their subdomains, that the browser may reach. Unset: all public ones. */
	onlyHosts?: string[];
	/** Of a file. */
	maxDownloadMb: number;
	/** Of a browser with all its tabs. */
	maxMemoryMb: number;
	/** What the agent may type without its model's knowing it. */
	secrets: Secret[];
}

const PROVIDERS: Record<Provider, { keyName: string; url?: string }> = {
	openai: { keyName: 'OPENAI_API_KEY', url: 'https://api.openai.com/v1' },
	anthropic: { keyName: 'ANTHROPIC_API_KEY', url: 'https://api.anthropic.com/v1' },
	google: {
		keyName: 'GOOGLE_GENERATIVE_AI_API_KEY',
		url: 'https://generativelanguage.googleapis.com/v1beta',
	},
	local: { keyName: 'MODEL_API_KEY' },
};

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/;
const HOST_WITH_PORT = /^(.+?)(?::(\d{1,5}))?$/;
const MAX_PORT = 65_535;

/**
 * Reads the settings from environment variables; an empty one counts as unset. Throws a
 * SettingError for the first that can't be used. What it takes to try a setting (whether a port is
 * free, a folder can be written) is not tried here.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
	const text = (name: string) => env[name]?.trim() || undefined;
	const models = readModels(text('MODELS'));
	const credits = text('SERVICE_CREDITS');

	return {
		models,
		modelKeys: readModelKeys(models, text),
		modelUrls: readModelUrls(models, text('MODEL_BASE_URL')),
		modelTimeoutMinutes: readNumber('MODEL_TIMEOUT_MINUTES', text, 5, { above: 0, max: 240 }),
		modelMaxCharacters: readCount('MODEL_MAX_CHARACTERS', text, 60_000, { min: 1000 }),
		agentMaxSteps: readCount('AGENT_MAX_STEPS', text, 100),
		host: text('SERVICE_HOST') ?? '127.0.0.1',
		port: readCount('SERVICE_PORT', text, 3500, { min: 0, max: MAX_PORT }),
		url: readOrigin('SERVICE_URL', text('SERVICE_URL')),
		ownHosts: readHosts('SERVICE_OWN_HOSTS', text) ?? [],
		apiKey: readApiKey(text('SERVICE_API_KEY')),
		dataFolder: path.resolve(text('SERVICE_DATA') ?? 'browser-agent-data'),
		maxJobs: readCount('SERVICE_MAX_JOBS', text, 2),
		credits:
			credits === undefined || credits === 'unlimited'
				? undefined
				: readCount('SERVICE_CREDITS', text, 0, { min: 0 }),
		maxGb: readNumber('SERVICE_MAX_GB', text, 10, { above: 0 }),
		chromiumBin: text('CHROMIUM_BIN'),
		chromiumSandbox: readSwitch('CHROMIUM_SANDBOX', text('CHROMIUM_SANDBOX')),
		allowedHosts: readHosts('AGENT_ALLOWED_HOSTS', text, { withPort: true }) ?? [],
		onlyHosts: readHosts('AGENT_ONLY_HOSTS', text),
		maxDownloadMb: readNumber('AGENT_MAX_DOWNLOAD_MB', text, 200, { above: 0, max: 1024 }),
		maxMemoryMb: readCount('AGENT_MAX_MEMORY_MB', text, 3000, { min: 500 }),
		secrets: readSecrets(env),
	};
}

type ReadText = (name: string) => string | undefined;

function readModels(text: string | undefined): ModelChoice[] {
	if (text === undefined) {
		throw new SettingError(
			"MODELS is not set: name at least one model, such as 'openai/gpt-5-mini' or 'local/qwen3'",
		);
	}

	const models = listed(text).map(readModel);
	const twice = models.find(({ label }, index) =>
		models.slice(0, index).some((other) => other.label === label),
	);
	if (twice) throw new SettingError(`MODELS names '${twice.label}' twice`);
	if (models.length === 0) throw new SettingError(`MODELS has no model in '${text}'`);
	return models;
}

function readModel(label: string): ModelChoice {
	const slash = label.indexOf('/');
	const provider = label.slice(0, Math.max(0, slash));
	const name = label.slice(slash + 1);
	if (!isProvider(provider) || name === '') {
		throw new SettingError(
			`MODELS has '${label}', which is not one of openai, anthropic, google, local with a slash` +
				" and the model's name: 'local' is for Ollama and other OpenAI-compatible servers",
		);
	}
	return { provider, name, label };
}

function isProvider(text: string): text is Provider {
	return Object.hasOwn(PROVIDERS, text);
}

function readModelKeys(models: ModelChoice[], text: ReadText): Settings['modelKeys'] {
	const keys: Settings['modelKeys'] = {};
	for (const { provider, label } of models) {
		const { keyName } = PROVIDERS[provider];
		const key = text(keyName);
		if (key === undefined && provider !== 'local') {
			throw new SettingError(`${keyName} is not set: '${label}' in MODELS needs it`);
		}
		if (key !== undefined && !isPrintable(key)) {
			throw new SettingError(`${keyName} must not contain spaces or special characters`);
		}
		keys[provider] = key;
	}
	return keys;
}

function readModelUrls(models: ModelChoice[], baseUrl: string | undefined): Settings['modelUrls'] {
	const urls: Settings['modelUrls'] = {};
	for (const { provider, label } of models) {
		if (provider === 'local' && baseUrl === undefined) {
			throw new SettingError(
				`MODEL_BASE_URL is not set: '${label}' in MODELS needs the address of its server, such as` +
					' http://127.0.0.1:11434/v1',
			);
		}
		urls[provider] = PROVIDERS[provider].url ?? readAddress('MODEL_BASE_URL', baseUrl);
	}
	return urls;
}

function readAddress(name: string, text = ''): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw new SettingError(`${name} must be an http or https address, not '${text}'`);
	}
	if (url.username || url.password) {
		throw new SettingError(`${name} must not contain a user name or a password`);
	}
	if (url.search || url.hash) throw new SettingError(`${name} must not contain '?' or '#'`);
	return url.href.replace(/\/+$/, '');
}

function readOrigin(name: string, text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	const address = readAddress(name, text);
	if (address !== new URL(address).origin) {
		throw new SettingError(`${name} must be an address without a path, not '${text}'`);
	}
	return address;
}

function readApiKey(key: string | undefined): string | undefined {
	if (key !== undefined && !isPrintable(key)) {
		throw new SettingError('SERVICE_API_KEY must not contain spaces or special characters');
	}
	return key;
}

// What a header can carry.
function isPrintable(text: string): boolean {
	return /^[\x21-\x7e]+$/.test(text);
}

function readHosts(name: string, text: ReadText, { withPort = false } = {}): string[] | undefined {
	const list = text(name);
	if (list === undefined) return undefined;
	return listed(list).map((entry) => readHost(name, entry.toLowerCase(), withPort));
}

function readHost(name: string, entry: string, withPort: boolean): string {
	const [, host = '', port] = HOST_WITH_PORT.exec(entry) ?? [];
	const isValid = HOST.test(host) && (port === undefined || (withPort && Number(port) <= MAX_PORT));
	if (isValid) return entry;
	const examples = withPort ? "'intranet' or 'intranet:8080'" : "'example.com'";
	throw new SettingError(`${name} must list hosts such as ${examples}, not '${entry}'`);
}

function listed(text: string): string[] {
	return text
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');
}

function readSwitch(name: string, text = 'on'): boolean {
	if (text !== 'on' && text !== 'off') {
		throw new SettingError(`${name} must be 'on' or 'off', not '${text}'`);
	}
	return text === 'on';
}

function readCount(
	name: string,
	text: ReadText,
	defaultValue: number,
	{ min = 1, max = Number.MAX_SAFE_INTEGER } = {},
): number {
	const given = text(name);
	if (given === undefined) return defaultValue;
	const value = /^\d+$/.test(given) ? Number(given) : NaN;
	if (value >= min && value <= max) return value;
	const range = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `from ${min} to ${max}`;
	throw new SettingError(`${name} must be a whole number, ${range}, not '${given}'`);
}

function readNumber(
	name: string,
	text: ReadText,
	defaultValue: number,
	{ above, max = Infinity }: { above: number; max?: number },
): number {
	const given = text(name);
	if (given === undefined) return defaultValue;
	const value = /^\d*\.?\d+$/.test(given) ? Number(given) : NaN;
	if (value > above && value <= max) return value;
	const range = max === Infinity ? `above ${above}` : `above ${above} and at most ${max}`;
	throw new SettingError(`${name} must be a number ${range}, not '${given}'`);
}
