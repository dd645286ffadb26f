import { runTask } from '../support/runTask';
import { useBrowser } from '../support/useBrowser';
import { refOf, useModelServer } from '../support/useModelServer';
import { PASSWORD, useShop } from '../support/useShop';

const shop = useShop();
const model = useModelServer();
const test = useBrowser(() => ({ allowedHosts: [shop.host] }));

describe('The agent', () => {
	it('reads a page and answers with what it has seen', async () => {
		model.does(({ number, page }) => {
			if (number === 1) return { call: 'click', input: { ref: refOf(page, 'Hammer') } };
			const price = /Price: (\d+ EUR)/.exec(page)?.[1];
			return { call: 'done', input: { output: `The hammer costs ${price}` } };
		});

		const end = await runTask(test, model, { initialUrl: shop.url });

		expect(end.output).toBe('The hammer costs 10 EUR');
		expect(end.charges).toBe(2);
		expect(end.steps.map(({ number, tool, action }) => [number, tool, action])).toEqual([
			[0, 'navigate', `Opened ${shop.url}`],
			[1, 'click', 'Clicked link "Hammer"'],
			[2, 'done', 'Finished'],
		]);
	});

	it('logs in and stays logged in over steps', async () => {
		model.does(({ number, page }) => {
			if (number === 1)
				return { call: 'type', input: { ref: refOf(page, 'textbox "User"'), text: 'ada' } };
			if (number === 2)
				return { call: 'type', input: { ref: refOf(page, 'textbox "Password"'), text: PASSWORD } };
			if (number === 3)
				return { call: 'select', input: { ref: refOf(page, 'combobox'), options: ['Brazil'] } };
			if (number === 4) return { call: 'click', input: { ref: refOf(page, 'button "Log in"') } };
			if (number === 5) return { call: 'navigate', input: { url: `${shop.url}/account` } };
			return { call: 'done', input: { output: /Hello \w+/.exec(page)?.[0] } };
		});

		const end = await runTask(test, model, { initialUrl: `${shop.url}/login` });

		expect(end.output).toBe('Hello ada');
	});
});
