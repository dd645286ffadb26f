import { ProcessActivity } from '../../dev/engine/ProcessActivity';
import { SimulatedClock } from '../../dev/engine/SimulatedClock';

const activity = new ProcessActivity();
const clocks: SimulatedClock[] = [];

beforeAll(() => activity.watch());
afterAll(() => {
	activity.unwatch();
	// What a test has left behind would sleep and wake for ever.
	for (const clock of clocks) clock.stop();
});

/**
 * The clock of a test file: time passes on it while the nodes, and the servers of the file, have
 * nothing left to do. It begins now, or at `startMs`.
 */
export function testClock(startMs?: number): SimulatedClock {
	const clock = new SimulatedClock(startMs, activity);
	clocks.push(clock);
	return clock;
}
