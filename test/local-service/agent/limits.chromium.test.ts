import { runTask } from '../support/runTask';
import { useBrowser } from '../support/useBrowser';
import { type ModelAction, type Script, useModelServer } from '../support/useModelServer';
import { useShop } from '../support/useShop';

const shop = useShop();
const model = useModelServer();
const test = useBrowser(() => ({ allowedHosts: [shop.host], modelMaxCharacters: 2_000_000 }));

const DONE: ModelAction = { call: 'done', input: { output: 'The answer' } };
const LONG = 'x'.repeat(100_000);

async function run(script: Script | ModelAction[], html = '<h1>Limits</h1>') {
	shop.page('/limits', html);
	model.does(script);
	return await runTask(test, model, { initialUrl: `${shop.url}/limits` });
}

/** What the model was shown with its last request. */
function lastPage(): string {
	const { messages } = JSON.parse(model.arrivals.at(-1)?.body ?? '{}') as {
		messages: { content: string }[];
	};
	return messages.at(-1)?.content ?? '';
}

describe('A page without measure', () => {
	it('is read to its limit, and the model is told', async () => {
		const texts = Array.from(
			{ length: 300 },
			(_, index) => `<p>${index} ${'y'.repeat(10_000)}</p>`,
		);
		await run([DONE], texts.join(''));

		expect(lastPage().length).toBeLessThan(1_001_000);
		expect(lastPage()).toContain('(The page is longer than can be read.)');
	});

	it('has a title and an address that are cut', async () => {
		const end = await run(
			[{ call: 'wait', input: { seconds: 0 } }, DONE],
			`<script>document.title = 't'.repeat(1e6); history.replaceState(0, '', '#' + 'a'.repeat(1e6))</script>`,
		);

		expect(lastPage().length).toBeLessThan(5_000);
		expect(end.steps.at(-1)?.address.length).toBe(2_000);
	});

	it.each([
		['a password of 1,001 characters', `<input type="password" value="${'p'.repeat(1_001)}">`],
		['1,001 fields for passwords', '<input type="password">'.repeat(1_001)],
	])('with %s is not shown', async (_label, html) => {
		await run([DONE], `<h1>Hidden</h1>${html}`);

		expect(lastPage()).toContain('(The content of this page can not be read.)');
		expect(lastPage()).not.toContain('Hidden');
	});
});

describe('A model without measure', () => {
	it('that answers with more than 4 MB ends the job', async () => {
		const end = await run([{ text: 'x'.repeat(5 * 2 ** 20) }]);

		expect(end.error).toMatch(/^The model at .* gave an answer that can't be read/);
	});

	it('has its note and its action cut in the history', async () => {
		const end = await run([
			{ call: 'navigate', input: { url: `http://${LONG}`, note: LONG } },
			DONE,
		]);

		expect(end.steps[1]?.note?.length).toBe(2_000);
		expect(end.steps[1]?.action.length).toBe(2_000);
	});

	it('has its reason cut when it gives up', async () => {
		const end = await run([{ call: 'give_up', input: { reason: LONG } }]);

		expect(end.error).toMatch(/^The agent gave up: x{2000}$/);
	});
});
