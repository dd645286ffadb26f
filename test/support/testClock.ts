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
 */
export function testClock(startMs?: number): SimulatedClock {
	clock?.stop();
	clock = new SimulatedClock(startMs, activity);
	return clock;
}
