import { readFileSync } from 'node:fs';

import { TOTP, URI } from 'otpauth';

import { isListed } from './browser/hosts';
import { SettingError } from './SettingError';

/** A value that the agent may type on one host, and that its model never sees. */
export interface Secret {
	/** As in `<secret>NAME</secret>`. */
	name: string;
	/** `name` or `name:port`, in lower case. */
	host: string;
	/** What is typed now: a one-time code is another one every half minute. */
	value(): string;
	/** Whether it is a one-time code: only these may be typed where everybody can read them. */
	isCode: boolean;
}

const SETTING = /^SECRET_(.+)$/;
const FILE_SETTING = 'SECRETS_FILE';
const NAME = /^[A-Z\d_]+$/;
const HOST = /^[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?(?::\d{1,5})?$/;
const CODE = 'totp:';
/** A value is hidden wherever it is read, which tells a page that has listed it. */
const MIN_CHARACTERS = 8;

/**
 * Reads `SECRET_<NAME>=host|value` of the environment, and the lines `NAME=host|value` of the file
 * that `SECRETS_FILE` names. Throws a SettingError for one that can't be used, without its value.
 */
export function readSecrets(env: NodeJS.ProcessEnv): Secret[] {
	const secrets = new Map<string, Secret>();
	const add = (setting: string, name: string, text: string) => {
		if (secrets.has(name)) throw new SettingError(`The secret ${name} is set twice`);
		secrets.set(name, readSecret(setting, name, text));
	};
	for (const [setting, text] of Object.entries(env)) {
		const [, name] = SETTING.exec(setting) ?? [];
		if (name === undefined || !text) continue;
		if (!NAME.test(name)) {
			throw new SettingError(
				`${setting}: the name of a secret has capital letters, digits and '_' only`,
			);
		}
		add(setting, name, text);
	}
	const file = env[FILE_SETTING]?.trim();
	if (file) for (const [name, text] of readLines(file)) add(`${FILE_SETTING}, ${name}`, name, text);
	return [...secrets.values()];
}

/**
 * Whether a secret may be typed in a page or a frame with this address. Without a port in the
 * setting that is https only: anybody on the way could read what goes to http.
 */
export function isFor({ host }: Secret, address: string): boolean {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return false;
	const isStandard = url.protocol === 'https:' && url.port === '';
	if (!isStandard && !/:\d+$/.test(host)) return false;
	const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
	return isListed([host], { host: url.hostname, port });
}

/** What the model types in place of a secret, and sees in its place. */
export function placeholder({ name }: Pick<Secret, 'name'>): string {
	return `<secret>${name}</secret>`;
}

/** The secret that a text stands for, if it is nothing but its name. */
export function secretIn(text: string, secrets: Secret[]): Secret | undefined {
	return secrets.find((secret) => text.trim() === placeholder(secret));
}

function readLines(file: string): [string, string][] {
	let content: string;
	try {
		content = readFileSync(file, 'utf8');
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new SettingError(`${FILE_SETTING} is '${file}', which can't be read (${code})`);
	}
	return content.split(/\r?\n/).flatMap((line, index): [string, string][] => {
		if (line.trim() === '' || line.trimStart().startsWith('#')) return [];
		const equals = line.indexOf('=');
		const name = line.slice(0, Math.max(0, equals)).trim();
		if (NAME.test(name)) return [[name, line.slice(equals + 1)]];
		throw new SettingError(`${FILE_SETTING}: line ${index + 1} is not 'NAME=host|value'`);
	});
}

function readSecret(setting: string, name: string, text: string): Secret {
	const bar = text.indexOf('|');
	const host = text.slice(0, Math.max(0, bar)).trim().toLowerCase();
	const value = text.slice(bar + 1);
	if (!HOST.test(host) || value === '') {
		throw new SettingError(`${setting} must be 'host|value', such as 'shop.example|…'`);
	}
	if (!value.startsWith(CODE)) {
		if (value.length < MIN_CHARACTERS) {
			throw new SettingError(
				`${setting} must have at least ${MIN_CHARACTERS} characters: a page could guess a shorter value`,
			);
		}
		return { name, host, value: () => value, isCode: false };
	}

	const codes = readCodes(setting, value.slice(CODE.length).trim());
	return { name, host, value: () => codes.generate(), isCode: true };
}

/** Sites show the key of their one-time codes as text, or as a whole otpauth address. */
function readCodes(setting: string, text: string): TOTP {
	try {
		const codes = text.startsWith('otpauth:')
			? URI.parse(text)
			: new TOTP({ secret: text.replace(/[\s-]/g, '') });
		if (codes instanceof TOTP && codes.generate()) return codes;
	} catch {
		// Its message may quote the key.
	}
	throw new SettingError(
		`${setting} must have the key of a one-time code after 'totp:', in base32 as the site shows it`,
	);
}
