/** What a job's output must match. Can be stored as JSON. */
export interface OutputSchema {
	/** A JSON Schema, as JSON text. */
	schema: string;
	/** The example from which the schema was derived, as JSON text. If unset, there was none. */
	example?: string;
}
