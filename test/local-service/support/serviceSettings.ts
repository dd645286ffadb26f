import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Settings } from '../../../local-service/settings';
import { readSettings } from '../../../local-service/settings';

/** Settings of a local service with a data folder of its own, and Chromium as it can run here. */
export function serviceSettings(changes: Partial<Settings> = {}): Settings {
	const settings = readSettings({
		MODELS: 'local/scripted',
		MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
		SERVICE_DATA: mkdtempSync(path.join(tmpdir(), 'service-')),
		CHROMIUM_BIN: process.env.CHROMIUM_BIN,
		CHROMIUM_SANDBOX: process.getuid?.() === 0 ? 'off' : process.env.CHROMIUM_SANDBOX,
	});
	return { ...settings, ...changes };
}
