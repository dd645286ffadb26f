import type { LedgerSystem } from './LedgerSystem';

/** n8n's own pauses between tries last in the time of a model, and jitter is the same in every run. */
export function useModelTimers(): { use(system: LedgerSystem): void } {
	let system: LedgerSystem | undefined;
	let random = 0;

	beforeEach(() => {
		jest.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0) => {
			system?.time.setTimer(ms, callback, system.process);
			return 0;
		}) as unknown as typeof setTimeout);
		jest.spyOn(Math, 'random').mockImplementation(() => {
			random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
			return random / 2 ** 31;
		});
	});
	afterEach(() => {
		jest.restoreAllMocks();
		system = undefined;
	});

	return {
		use(other) {
			system = other;
			random = 1;
		},
	};
}
