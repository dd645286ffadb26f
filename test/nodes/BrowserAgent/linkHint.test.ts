import type { ITaskData } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

/** The addresses that the hints of a run link to, by the link's text. */
function linksIn(task: ITaskData | undefined): Record<string, string> {
	const hints = (task?.hints ?? []).map(({ message }) => message).join(' ');
	const links = hints.matchAll(/<a href="(?<url>\S+)" target="_blank">(?<text>[^<]+)<\/a>/g);
	return Object.fromEntries(
		[...links].map(({ groups: { text = '', url = '' } = {} }) => [text, url]),
	);
}

describe('The hints beside the item of a single job link to', () => {
	it('its history once the job has ended', async () => {
		const { task, json } = await service.runAgent();

		expect(linksIn(task)).toEqual({ History: json[0]?.history_url });
	});

	it('its live view and history while the job runs', async () => {
		const { task, json } = await service.runAgent({ waitUntilFinished: false });

		const { live_url, history_url } = json[0] ?? {};
		expect(linksIn(task)).toEqual({ 'Live view': live_url, History: history_url });
	});
});

it.each([
	['contains the CDP URL', 'https://app.example.com/live?to=https://browser.example.com/s/1'],
	['is no web address', 'javascript:alert(1)'],
])('Neither a hint nor an error links to a live view whose address %s', async (...given) => {
	const [, live_url] = given;
	const body = { live_url, cdp_url: 'https://browser.example.com/s/1?token=5e6f7a8b9c0d1e2f' };
	await service.admin.nextJobs([
		{ startBody: body },
		{ startBody: body, omitFields: ['live_url', 'cdp_url'], statuses: ['user_taken_over'] },
	]);

	const { task } = await service.runAgent({ waitUntilFinished: false });
	const { error } = await service.runAgent();

	expect(task?.hints?.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^Open the job: <a href="\S+" target="_blank">History<\/a>$/),
	]);
	expect(error?.description).toMatch(/\. History: <a href="\S+" target="_blank">\S+<\/a>$/);
});

it('The hints of several jobs contain no links', async () => {
	const { task } = await service.runTasks(['Find a', 'Find b']);

	expect(linksIn(task)).toEqual({});
});
