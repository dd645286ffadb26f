import { readSettings, type Settings } from './settings';
import { SettingError } from './SettingError';
import { type Service, startService } from './startService';
import { stopSignal } from './stopSignal';

/** A browser that can't be closed ends with this process. */
const MAX_STOP_MS = 9_000;

/** `npm run service`: runs the local service until it is stopped. */
async function main(): Promise<void> {
	const stop = stopSignal();
	const settings = readSettings(process.env);
	const service = await startService(settings);
	console.log(toStartMessage(service, settings));

	if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
	setTimeout(() => process.exit(1), MAX_STOP_MS).unref();
	await service.close();
	process.exit(0);
}

/** A key that somebody has chosen stays out of what may become a log. */
function toStartMessage({ url, apiKey, dataFolder }: Service, settings: Settings): string {
	const key = settings.apiKey === undefined ? apiKey : 'that in SERVICE_API_KEY';
	return [
		'The local service is running.',
		'',
		`Base URL    ${url}`,
		`API key     ${key}`,
		`Folder      ${dataFolder}`,
		`Jobs        ${url}/ in a web browser, with the API key as the password`,
		'',
		'Press Ctrl+C to stop.',
	].join('\n');
}

main().catch((error: unknown) => {
	console.error(error instanceof SettingError ? error.message : error);
	process.exit(1);
});
