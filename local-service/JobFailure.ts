/**
 * A job's end as `failed`. The message is a sentence that the job's user can act on, without
 * secrets: it becomes the job's `error`.
 */
export class JobFailure extends Error {
	override readonly name = 'JobFailure';
}
