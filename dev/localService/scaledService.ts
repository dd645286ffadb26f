import { readSettings } from '../../local-service/settings';
import { startService } from '../../local-service/startService';
import { stopSignal } from '../../local-service/stopSignal';

/** Shorter times limit what the machine does, which is no faster: the start of a browser. */
const MACHINE_MS = 2 * 60_000;

/**
 * The local service, for which time passes `TIME_SCALE` times as fast as it does since `TIME_BEGAN`
 * (in ms since 1970), and whose rate limits are off. It prints its address and key as
 * `npm run service` does.
 */
async function main(): Promise<void> {
	const stop = stopSignal();
	const scale = Number(process.env.TIME_SCALE);
	const began = Number(process.env.TIME_BEGAN);
	const service = await startService(readSettings(process.env), {
		rateLimits: 'off',
		writeLog: () => {},
		clock: {
			now: () => began + (Date.now() - began) * scale,
			after(ms, run) {
				const timer = setTimeout(run, ms > MACHINE_MS ? ms / scale : ms);
				timer.unref();
				return () => clearTimeout(timer);
			},
		},
	});
	console.log(`Base URL    ${service.url}\nAPI key     ${service.apiKey}`);

	if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
	await service.close();
	process.exit(0);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exit(1);
});
