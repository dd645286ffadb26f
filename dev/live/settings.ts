import { SettingError } from '../../local-service/SettingError';

/** Which service the kit tests, and with what. */
export interface LiveSettings {
	/** Without a trailing slash. */
	baseUrl: string;
	apiKey: string;
	/** The page that jobs read. */
	pageUrl: string;
	/** The PDF that a job downloads. */
	fileUrl: string;
	/** A saved workflow that may be run once. */
	workflowId?: string;
	/** For its required inputs. */
	workflowPayload?: string;
}

const PAGE_URL = 'https://example.com';
const FILE_URL = 'https://www.w3.org/WAI/ER/tests/xhtml/testfiles/resources/pdf/dummy.pdf';

/**
 * Reads the settings from environment variables; an empty one counts as unset. Throws a
 * SettingError, without the key, for the first that is missing or can't be used.
 */
export function readLiveSettings(env: NodeJS.ProcessEnv): LiveSettings {
	const text = (name: string) => env[name]?.trim() || undefined;
	const settings = {
		baseUrl: readBaseUrl(text('BASE_URL')),
		apiKey: readApiKey(text('API_KEY')),
		pageUrl: readUrl('PAGE_URL', text('PAGE_URL') ?? PAGE_URL).href,
		fileUrl: readUrl('FILE_URL', text('FILE_URL') ?? FILE_URL).href,
		workflowId: text('WORKFLOW_ID'),
		workflowPayload: text('WORKFLOW_PAYLOAD'),
	};
	if (settings.workflowPayload !== undefined && settings.workflowId === undefined) {
		throw new SettingError('WORKFLOW_ID is not set: WORKFLOW_PAYLOAD is for a saved workflow');
	}
	return settings;
}

function readBaseUrl(text: string | undefined): string {
	if (text === undefined) {
		throw new SettingError(
			'BASE_URL is not set: it is the address of the service, such as http://127.0.0.1:3400',
		);
	}
	const url = readUrl('BASE_URL', text);
	if (url.search || url.hash) throw new SettingError("BASE_URL must not contain '?' or '#'");
	return url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function readUrl(name: string, text: string): URL {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw new SettingError(`${name} must be an http or https address`);
	}
	if (url.username || url.password) {
		throw new SettingError(`${name} must not contain a user name or a password`);
	}
	return url;
}

function readApiKey(key: string | undefined): string {
	if (key === undefined) {
		throw new SettingError('API_KEY is not set: it is the key of an account of the service');
	}
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw new SettingError(
			"API_KEY must be the key alone: without 'Bearer', spaces and special characters",
		);
	}
	return key;
}
