import { steadyClock } from './steadyClock';
import { setClock } from './testRuntime';
import { useSandbox } from './useSandbox';

/** A sandbox without limits, whose time and that of the nodes is `scale` times as fast as real time. */
export function useScaledSandbox(scale: number): ReturnType<typeof useSandbox> {
	const service = useSandbox({ timeScale: scale, limits: 'off' });
	// The first run of all takes long, and that would be a minute here.
	beforeAll(async () => {
		await service.admin.nextJob(['completed']);
		await service.runAgent();
		await service.admin.reset();
	});
	beforeEach(() => setClock(steadyClock(scale)));
	return service;
}
