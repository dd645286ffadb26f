import { accessSync, constants } from 'node:fs';
import path from 'node:path';

import { SettingError, type Settings } from '../settings';

export type ChromiumSettings = Pick<Settings, 'chromiumBin' | 'chromiumSandbox'>;

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

/** Where installers put it on systems on which it is not in PATH. */
const PLACES = [
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of the browser. Throws a SettingError when there is none. */
export function findChromium({ chromiumBin }: Pick<Settings, 'chromiumBin'>): string {
	if (chromiumBin !== undefined) {
		if (isExecutable(chromiumBin)) return chromiumBin;
		throw new SettingError(`CHROMIUM_BIN is '${chromiumBin}', which is no program`);
	}

	const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
	const inPath = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
	const found = [...inPath, ...PLACES].find(isExecutable);
	if (found !== undefined) return found;
	throw new SettingError(
		"No Chromium was found: install it, with 'apt install chromium' on Debian, or set CHROMIUM_BIN",
	);
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** Why Chromium did not start, in one sentence with the cure. */
export function startProblem(error: unknown, { chromiumSandbox }: ChromiumSettings): string {
	const message = error instanceof Error ? error.message : String(error);
	if (chromiumSandbox && process.getuid?.() === 0) {
		return (
			'Chromium does not start as root with its sandbox on: run the service as another user, or set ' +
			'CHROMIUM_SANDBOX=off'
		);
	}
	if (/sandbox/i.test(message)) {
		return (
			"Chromium's sandbox does not start here: allow user namespaces (on Ubuntu: sysctl -w " +
			'kernel.apparmor_restrict_unprivileged_userns=0), or set CHROMIUM_SANDBOX=off'
		);
	}
	if (/profile is already in use/.test(message)) {
		return 'Chromium did not start: another one uses its profile';
	}
	if (/Timeout|within/.test(message)) return 'Chromium did not start in time: is the machine busy?';
	// oxlint-disable-next-line no-control-regex
	const line = /(?:error while loading|No such file|not found|ENOENT|EACCES)[^\n\u001b]*/.exec(
		message,
	);
	return `Chromium did not start${line ? `: ${line[0].slice(0, 200)}` : ''}`;
}

/** What Chromium needs of the environment: above all, no keys. */
export function chromiumEnvironment(): Record<string, string> {
	const names =
		/^(?:PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|FONTCONFIG_\w+|SystemRoot|\w*APPDATA|USERPROFILE|ProgramFiles.*)$/i;
	return Object.fromEntries(
		Object.entries(process.env).filter(
			(entry): entry is [string, string] => names.test(entry[0]) && entry[1] !== undefined,
		),
	);
}
