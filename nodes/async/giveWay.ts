import { sleep } from 'n8n-workflow';

/** Lets other work of the process go on, which a long loop without waits would hold up. */
export async function giveWay(): Promise<void> {
	await sleep(0);
}
