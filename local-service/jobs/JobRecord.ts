import { z } from 'zod';

const fileSchema = z.object({
	/** As it is listed. */
	filename: z.string(),
	/** Its generated name in the job's folder of files. */
	storedName: z.string(),
	sizeBytes: z.number(),
	contentType: z.string(),
});

/** A file that a job's browser has downloaded. */
export type RecordedFile = z.infer<typeof fileSchema>;

const recordSchema = z.object({
	id: z.string(),
	kind: z.enum(['agent', 'workflow']),
	status: z.enum(['provisioning', 'running', 'paused', 'user_taken_over', 'completed', 'failed']),
	/** Of a saved workflow, with its inputs filled in as soon as they are known. */
	directive: z.string(),
	initialUrl: z.string().optional(),
	workflowId: z.string().optional(),
	/** `provider/name` of the model that acts. */
	model: z.string(),
	/** The name that the request gave, where it stands for another model. */
	requestedModel: z.string().optional(),
	/** The user's own browser, or one that another job has kept open, as it was given. */
	ownBrowser: z.object({ cdpUrl: z.string(), liveUrl: z.string().optional() }).optional(),
	/** Of the job's browser that is to be kept open, until it is closed. */
	cdpUrl: z.string().optional(),
	/** Parts of the addresses of the live view and the history. */
	liveSecret: z.string(),
	historySecret: z.string(),
	/** Times are in ms since 1970. */
	createdAt: z.number(),
	updatedAt: z.number(),
	endedAt: z.number().optional(),
	creditsUsed: z.number(),
	inputTokens: z.number(),
	outputTokens: z.number(),
	/** Of a completed job, as the agent gave it: any JSON value. */
	output: z.unknown(),
	/** Of a failed job: a sentence. */
	error: z.string().optional(),
	files: z.array(fileSchema),
});

/** What is known about a job and kept on disk: flat JSON. */
export type JobRecord = z.infer<typeof recordSchema>;

/** The statuses of a job, as in the service's document. */
export type JobStatus = JobRecord['status'];

/** Reads a record from its JSON text. Throws if it is not a whole record. */
export function parseRecord(text: string): JobRecord {
	return recordSchema.parse(JSON.parse(text));
}
