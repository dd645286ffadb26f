import { ProcessActivity } from '../../dev/engine/ProcessActivity';
import { SimulatedClock } from '../../dev/engine/SimulatedClock';

const activity = new ProcessActivity();
let clock: SimulatedClock | undefined;

beforeAll(() => activity.watch());
afterAll(() => {
	activity.unwatch();
	clock?.stop();
});

/**
 * Returns a clock on which time passes while the nodes, and the servers of the file, have nothing
 * left to do. It begins now, or at `startMs`. A file has one such clock at a time: this stops the
 * one before, on which what a test has left behind would sleep and wake for ever.
 *
 * - `useSandbox` gives the nodes and the sandbox one clock. With a raw server,
 *   `setClock(testClock())` gives the nodes theirs; without it, they run on real time. Where there
 *   is no server, `new SimulatedClock()` will do.
 * - One wake-up at a time: all that it triggers is done before the next one. How this is noticed
 *   stands at `ProcessActivity`.
 * - Node.js doesn't show work in threads, such as the decompression of a large body. For that,
 *   `clock.hold()` stops the clock. Then `clock.advance(ms)` lets time pass and waits until all
 *   that was due is done, and `waitFor` waits for what arrives.
 * - The pauses of n8n's own Retry On Fail pass in real time, except in the model of jobs.
 */
export function testClock(startMs?: number): SimulatedClock {
	clock?.stop();
	clock = new SimulatedClock(startMs, activity);
	return clock;
}
