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
 * reliably only when something is emitted. Without that, a later poll finds the events again, but
 * not a status that the job no longer has.
 *
 * The memory is kept twice. n8n finds a node's own static data by the node's name or, with durable
 * cursors, by its ID, and finds none after that has changed. So there is a copy in the workflow's
 * static data, with both. What counts depends on the copy that a node with this ID has written:
 * - None: the node is new, or has a new ID. Its own data count, unless another node has left them
 *   behind under this name. Otherwise, the copies that carry its name count.
 * - Under the same name: its own data count. The copy doesn't: with durable cursors, n8n saves it
 *   before the events that it contains, which a crash may lose.
 * - Under another name, and its own data are missing or carry another ID: the node has a new name,
 *   and the copy counts.
 * - Under another name, and its own data carry its ID: both count, unless the copy is older. The
 *   node may have an old name again.
 */
export class SeenEvents {
	private readonly nodeId: string;

	private readonly nodeName: string;

	private readonly own: IDataObject;

	private readonly shared: IDataObject;

	private readonly jobs: Map<string, TriggerEvent[]>;

	/** When the data that this memory began with were written: a timestamp in ms, or 0. */
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
		// The events that report an end have the names of final statuses.
		return this.eventsOf(jobId).some((status) => hasFinalStatus({ status }));
	}

	/** Whether any event of the job was seen, `not_found` included. */
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
	 * Writes the events to the static data, which n8n may save. If there are more than 10,000 jobs,
	 * drops the oldest, first those that are not among `watchedIds`. Returns the timestamp, in ms.
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
		// A copy that has not been written for so long may be that of a deleted node.
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
		const writer = copies.get(own.nodeId);
		// The node that wrote these data has another name now, and has taken them along.
		const isLeftBehind = writer !== undefined && writer.nodeName !== own.nodeName;
		if (copy === undefined && (isLeftBehind || Object.keys(this.own).length === 0)) {
			const ofName = [...copies.values()].filter(({ nodeName }) => nodeName === this.nodeName);
			return ofName.sort((one, other) => one.touchedAt - other.touchedAt);
		}
		if (copy === undefined || copy.nodeName === this.nodeName) return [own];
		if (own.nodeId !== this.nodeId) return [copy];
		return copy.touchedAt > own.touchedAt ? [own, copy] : [own];
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

/** Reads what is stored as a memory. Jobs and timestamps that can't be read are left out. */
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
