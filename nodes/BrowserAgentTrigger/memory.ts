import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import { isObject } from '../isObject';
import { hasFinalStatus } from '../jobs/status';
import type { TriggerEvent } from '../parameters/triggerOn';

const MAX_JOBS = 10_000;
const COPIES = 'browserAgentTriggers';
const MAX_COPY_AGE_MS = 30 * 24 * 60 * 60_000;

/** What a trigger node remembers, as static data. */
interface Memory {
	/** The ID of the node that wrote it. */
	nodeId: string;
	/** The name of the node that wrote it. */
	nodeName: string;
	/** The events that were seen, by job. */
	jobs: Array<[string, TriggerEvent[]]>;
	/** When it was last written: a timestamp in ms. */
	touchedAt: number;
}

/**
 * Tracks which events of which jobs were seen, so that each is emitted once. n8n saves static data
 * reliably only when something is emitted. An event that was not saved is found again by a later
 * poll.
 *
 * The memory is kept twice. n8n finds a node's own static data by the node's name or, with durable
 * cursors, by its ID, so a new one would be a new, empty memory. So there is a copy in the
 * workflow's static data, with both.
 * - If the node has written a copy under another name, and its own data are missing or carry
 *   another ID, it has a new name, and begins with that copy.
 * - If it has written no copy, it has a new ID, and begins with its own data. If it has none, it
 *   begins with the copy that has its name.
 * - If it has an old name again, it has data of its own, and adds a newer copy.
 * - Otherwise, the copy that it has written under the same name doesn't count: with durable
 *   cursors, n8n saves it before the events that it contains, which a crash may lose.
 */
export class SeenEvents {
	private readonly nodeId: string;

	private readonly nodeName: string;

	private readonly own: IDataObject;

	private readonly shared: IDataObject;

	private readonly jobs: Map<string, TriggerEvent[]>;

	/** When this memory was last saved: a timestamp in ms, 0 if it never was. */
	readonly savedAt: number;

	constructor(
		context: Pick<IPollFunctions, 'getNode' | 'getWorkflowStaticData'>,
		private readonly clock: Clock,
	) {
		const { id, name } = context.getNode();
		this.nodeId = id;
		this.nodeName = name;
		this.own = context.getWorkflowStaticData('node');
		this.shared = context.getWorkflowStaticData('global');
		const memories = this.load();
		this.jobs = new Map(memories.flatMap(({ jobs }) => jobs));
		this.savedAt = Math.max(0, ...memories.map(({ touchedAt }) => touchedAt));
	}

	/** Whether the job was seen to end, so that it can have no more events. */
	hasEnded(jobId: string): boolean {
		// Events are named after the status that they report.
		return this.eventsOf(jobId).some((status) => hasFinalStatus({ status }));
	}

	/** Whether any event of the job was seen. */
	hasEvents(jobId: string): boolean {
		return this.jobs.has(jobId);
	}

	/** Whether this event of the job was seen. */
	isRecorded(jobId: string, event: TriggerEvent): boolean {
		return this.eventsOf(jobId).includes(event);
	}

	/** Records an event, whether or not the user has chosen it. Nothing is kept without `save`. */
	record(jobId: string, event: TriggerEvent): void {
		this.jobs.set(jobId, [...new Set([...this.eventsOf(jobId), event])]);
	}

	/**
	 * Saves the events. If there are more than 10,000 jobs, drops some, first those that are not
	 * among `watchedIds`. Returns the timestamp, in ms.
	 */
	save(watchedIds: string[]): number {
		const watched = new Set(watchedIds);
		const jobs = [...this.jobs];
		const unwatched = jobs.filter(([jobId]) => !watched.has(jobId));
		const stillWatched = jobs.filter(([jobId]) => watched.has(jobId));
		const memory: Memory = {
			nodeId: this.nodeId,
			nodeName: this.nodeName,
			jobs: [...unwatched, ...stillWatched].slice(-MAX_JOBS),
			touchedAt: this.clock.now(),
		};
		// New objects, since n8n does not notice a change within the old ones.
		Object.assign(this.own, memory);
		// The nodes of old copies may be gone.
		const isFresh = ([, copy]: [string, Memory]) =>
			memory.touchedAt - copy.touchedAt < MAX_COPY_AGE_MS;
		const fresh = [...this.copies].filter(isFresh);
		this.shared[COPIES] = Object.fromEntries([...fresh, [this.nodeId, memory]]) as IDataObject;
		return memory.touchedAt;
	}

	/** Returns the memories that count, the older one first. */
	private load(): Memory[] {
		const own = readMemory(this.own);
		const { copies } = this;
		const copy = copies.get(this.nodeId);
		const isNew = Object.keys(this.own).length === 0 || this.isLeftBehind(own);
		if (copy === undefined && isNew) {
			const ofName = [...copies.values()].filter(({ nodeName }) => nodeName === this.nodeName);
			return ofName.sort((one, other) => one.touchedAt - other.touchedAt);
		}
		if (copy === undefined || copy.nodeName === this.nodeName) return [own];
		if (own.nodeId !== this.nodeId) return [copy];
		return copy.touchedAt > own.touchedAt ? [own, copy] : [own];
	}

	/** Whether the node that wrote these data has another name since, and has taken them along. */
	private isLeftBehind({ nodeId, nodeName }: Memory): boolean {
		const copy = this.copies.get(nodeId);
		return copy !== undefined && copy.nodeName !== nodeName;
	}

	/** The copies in the workflow's static data, by the IDs of their nodes. */
	private get copies(): Map<string, Memory> {
		const { [COPIES]: copies } = this.shared;
		const entries = Object.entries(isObject(copies) ? copies : {}).filter(([, copy]) =>
			isObject(copy),
		);
		return new Map(entries.map(([nodeId, copy]) => [nodeId, readMemory(copy)]));
	}

	private eventsOf(jobId: string): TriggerEvent[] {
		return this.jobs.get(jobId) ?? [];
	}
}

/** Reads what is stored as a memory. Anything may be there: what is unusable counts as empty. */
function readMemory(data: unknown): Memory {
	const { nodeId, nodeName, jobs, touchedAt }: Partial<Memory> = isObject(data) ? data : {};
	return {
		nodeId: nodeId ?? '',
		nodeName: nodeName ?? '',
		jobs: Array.isArray(jobs) ? jobs.filter(isEntry) : [],
		touchedAt: Number(touchedAt) || 0,
	};
}

function isEntry(entry: unknown): entry is Memory['jobs'][number] {
	return Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]);
}
