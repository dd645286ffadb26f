import { within } from '../abort';
import type { Settings } from '../settings';
import { SettingError } from '../SettingError';
import { startProblem } from './chromium';
import { launch } from './launch';

const LIMIT_MS = 90_000;

/**
 * Launches Chromium once, as a job does, and ends it. Throws a SettingError with the cure when it
 * is missing or does not start.
 */
export async function checkChromium(settings: Settings): Promise<void> {
	const options = { width: 800, height: 600, keepOpen: false };
	try {
		const launching = launch(options, settings, () => {});
		const { end } = await within(LIMIT_MS, launching, async (opened) => await opened.end());
		await end();
	} catch (error) {
		if (error instanceof SettingError) throw error;
		throw new SettingError(startProblem(error, settings));
	}
}
