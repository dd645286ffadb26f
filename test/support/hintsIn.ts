import type { ITaskData } from 'n8n-workflow';

/** The hints that a run has shown beside its output, without the links to its job. */
export function hintsIn(task: ITaskData | undefined): string[] {
	const messages = (task?.hints ?? []).map(({ message }) => message);
	return messages.filter((message) => !message.startsWith('Open the job: '));
}
