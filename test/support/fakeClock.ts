import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

export type FakeClock = ReturnType<typeof fakeClock>;

interface WakeUp {
	at: number;
	wake: () => void;
}

// What a response takes at most from its socket to the node, in turns of the event loop.
const IDLE_TURNS = 5;
// An open request that has not moved for so many milliseconds is waiting for time to pass.
const STALLED_TURNS = 60;

const openRequests = new Set<ClientRequest>();
const onRequestSent = new Set<() => void>();
let requestsSent = 0;
let stalledState: string | undefined;
// What a test has left behind would sleep and wake for ever.
let isFileOver = false;

function noteRequest(message: unknown): void {
	const { request } = message as { request: ClientRequest };
	requestsSent++;
	openRequests.add(request);
	request.once('close', () => openRequests.delete(request));
	for (const callback of onRequestSent) callback();
}

beforeAll(() => subscribe('http.client.request.start', noteRequest));
afterAll(() => {
	unsubscribe('http.client.request.start', noteRequest);
	isFileOver = true;
});

/**
 * The clock of all tests. Time stands still while anything is under way, and jumps to the next
 * wake-up as soon as all that is left to do is to sleep. So an hour takes only as long as the work
 * in it, and no measured time depends on how busy the machine is. Under way are requests to servers
 * in this process, and file system calls; of other work in threads, such as unpacking, Node.js says
 * nothing: hold the clock for it. It begins now, or at `startMs`.
 */
export function fakeClock(startMs = Date.now()) {
	const sleeps = new Set<WakeUp>();
	const timeouts = new Set<WakeUp>();
	const slept: number[] = [];
	let now = startMs;
	let isHeld = false;
	let isRunning = false;

	const endTimeouts = () => {
		for (const timeout of [...timeouts].filter(({ at }) => at <= now)) {
			timeouts.delete(timeout);
			timeout.wake();
		}
	};

	/** Moves to the next wake-up that is not after `end`; returns whether there was one. */
	const jump = (isStalled: boolean, end = Infinity): boolean => {
		const sleep = earliest(sleeps);
		const timeout = earliest(timeouts);
		// A time-out outlasts its request, and then nobody waits for it.
		if (sleep === undefined && !isStalled) return false;
		const next = Math.min(sleep?.at ?? Infinity, timeout?.at ?? Infinity);
		if (next === Infinity || next > end) return false;
		now = Math.max(now, next);
		endTimeouts();
		// One sleeper at a time, whatever else is due.
		if (sleep !== undefined && sleep.at <= now && sleeps.delete(sleep)) sleep.wake();
		return true;
	};

	const run = async () => {
		if (isRunning || isHeld || isFileOver) return;
		isRunning = true;
		for (let isMoving = true; isMoving;) {
			const isStalled = await untilIdle();
			isMoving = !isHeld && !isFileOver && jump(isStalled);
		}
		isRunning = false;
	};
	onRequestSent.add(() => void run());

	const add = (wakeUps: Set<WakeUp>, ms: number, wake: () => void) => {
		// In whole milliseconds, as timers are.
		const wakeUp = { at: now + Math.ceil(ms), wake };
		wakeUps.add(wakeUp);
		void run();
		return () => wakeUps.delete(wakeUp);
	};

	return {
		/** What was slept so far, in ms, in the order in which it was asked for. */
		slept,
		/** How many sleep at present. */
		get sleepers() {
			return sleeps.size;
		},
		now: () => now,
		async sleep(ms: number, signal?: AbortSignal) {
			slept.push(ms);
			if (ms <= 0 || signal?.aborted === true) return;
			// A derived signal: Node.js warns of a leak when one signal has more than ten listeners.
			const own = AbortSignal.any(signal === undefined ? [] : [signal]);
			await new Promise<void>((resolve) => {
				const end = () => {
					remove();
					own.removeEventListener('abort', end);
					resolve();
				};
				const remove = add(sleeps, ms, end);
				own.addEventListener('abort', end);
			});
		},
		timeout(ms: number) {
			const timeout = new AbortController();
			add(timeouts, ms, () => timeout.abort(new DOMException('Time is up', 'TimeoutError')));
			return timeout.signal;
		},
		/** From now on, time passes only in `advance`. */
		hold: () => {
			isHeld = true;
		},
		/**
		 * Lets this much time pass. A held clock also waits until everything that is due has been done.
		 */
		async advance(ms: number) {
			const end = now + ms;
			if (!isHeld) return await new Promise<void>((resolve) => void add(sleeps, ms, resolve));
			while (jump(await untilIdle(), end));
			now = Math.max(now, end);
			endTimeouts();
			await untilIdle();
		},
		/** Forgets all sleepers, and lets time pass by itself again. */
		reset() {
			sleeps.clear();
			timeouts.clear();
			slept.length = 0;
			isHeld = false;
		},
	};
}

function earliest(wakeUps: Set<WakeUp>): WakeUp | undefined {
	let first: WakeUp | undefined;
	for (const wakeUp of wakeUps) if (first === undefined || wakeUp.at < first.at) first = wakeUp;
	return first;
}

/**
 * Resolves when nothing is under way, or only requests that don't move; returns whether there are
 * any.
 */
async function untilIdle(): Promise<boolean> {
	let quietTurns = 0;
	let before: string | undefined;
	for (;;) {
		await nextTurn();
		const state = `${requestsSent} requests, ${bytesMoved()} bytes`;
		quietTurns = state === before && !isUsingFiles() ? quietTurns + 1 : 0;
		before = state;
		if (openRequests.size === 0) {
			if (quietTurns >= IDLE_TURNS) return false;
		} else if (quietTurns >= (state === stalledState ? IDLE_TURNS : STALLED_TURNS)) {
			stalledState = state;
			return true;
		}
	}
}

async function nextTurn(): Promise<void> {
	await new Promise<void>((resolve) => {
		if (openRequests.size > 0) setTimeout(resolve, 1);
		else setImmediate(resolve);
	});
}

function bytesMoved(): number {
	let bytes = 0;
	for (const { socket } of openRequests) {
		bytes += (socket?.bytesRead ?? 0) + (socket?.bytesWritten ?? 0);
	}
	return bytes;
}

function isUsingFiles(): boolean {
	return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
}
