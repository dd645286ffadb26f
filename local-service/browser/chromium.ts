import { accessSync, constants } from 'node:fs';
import path from 'node:path';

import type { Settings } from '../settings';
import { SettingError } from '../SettingError';

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

/** What Chromium's log says, beside its long command line, and what helps. */
const PROBLEMS: [RegExp, string][] = [
	[
		/^(?:ENOSPC|EDQUOT|EROFS|EACCES|EPERM)\b/,
		'Chromium did not start, since the service could not write to its data folder: is the disk full?',
	],
	[
		/No usable sandbox|sandboxing failed|Failed to move to new namespace/i,
		"Chromium's sandbox does not start here: allow user namespaces (on Ubuntu with 'sysctl -w " +
			"kernel.apparmor_restrict_unprivileged_userns=0'), or set CHROMIUM_SANDBOX=off",
	],
	[/profile is already in use/, 'Chromium did not start: another one uses its profile'],
	[
		/Timeout \d+ms exceeded|Nothing came within/,
		'Chromium did not start in time: the machine may be too busy',
	],
	[
		/error while loading shared libraries/,
		"Chromium did not start, since it lacks a library: install it again, with 'apt install chromium' " +
			'on Debian',
	],
];

/** Why Chromium did not start, in one sentence with the cure. */
export function startProblem(error: unknown, { chromiumSandbox }: ChromiumSettings): string {
	if (chromiumSandbox && process.getuid?.() === 0) {
		return (
			'Chromium does not start as root with its sandbox on: run the service as another user, or set ' +
			'CHROMIUM_SANDBOX=off'
		);
	}
	const message = error instanceof Error ? error.message : String(error);
	const [, words] = PROBLEMS.find(([pattern]) => pattern.test(message)) ?? [];
	return words ?? "Chromium did not start: try to run it by hand with '--headless --version'";
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
