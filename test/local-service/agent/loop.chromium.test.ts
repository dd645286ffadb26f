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

	it('acts in a frame', async () => {
		model.does(({ number, page }) =>
			number === 1
				? { call: 'click', input: { ref: refOf(page, 'button "Press"') } }
				: { call: 'done', input: { output: /button "(\w+)"/.exec(page)?.[1] } },
		);

		const end = await runTask(test, model, { initialUrl: `${shop.url}/frame` });

		expect(end.output).toBe('Pressed');
	});

	it('gives an answer that the model has given as data in JSON', async () => {
		model.does([{ call: 'done', input: { output: { price: 10 } } }]);

		expect((await runTask(test, model)).output).toBe('{"price":10}');
	});

	it('gives up with the reason of the model', async () => {
		model.does([{ call: 'give_up', input: { reason: 'The page wants a captcha' } }]);

		const end = await runTask(test, model);

		expect(end.error).toBe('The agent gave up: The page wants a captcha');
		expect(end.charges).toBe(1);
	});

	it('does nothing when there are no credits for the step', async () => {
		model.does(({ page }) => ({ call: 'click', input: { ref: refOf(page, 'Hammer') } }));

		const end = await runTask(test, model, {
			initialUrl: shop.url,
			charge: () => {
				throw new Error('The account ran out of credits');
			},
		});

		expect(end.error).toBe('The account ran out of credits');
		expect(shop.requests).not.toContain('GET /items/1');
	});
});

describe('While the job is paused', () => {
	it('an answer on its way is held back, and carried out later', async () => {
		let resume = () => {};
		let isPaused = false;
		const paused = new Promise<void>((resolve) => (resume = resolve));
		model.does(({ number, page }) => {
			if (number > 1) return { call: 'done', input: { output: /Title: (\w+)/.exec(page)?.[1] } };
			isPaused = true;
			return { call: 'click', input: { ref: refOf(page, 'Hammer') } };
		});

		let charged = () => {};
		const answered = new Promise<void>((resolve) => (charged = resolve));
		const running = runTask(test, model, {
			initialUrl: shop.url,
			charge: () => charged(),
			mayAct: async () => {
				if (isPaused) await paused;
				return { wasHeld: isPaused, takenOver: false };
			},
		});
		await answered;
		await test.browser.page().waitForTimeout(300);
		expect(shop.requests).not.toContain('GET /items/1');

		resume();
		expect((await running).output).toBe('Hammer');
	});

	it('the page may change, and is read again before the next question', async () => {
		let wasHeld = false;
		model.does(({ number, page }) => {
			if (number > 1) return { call: 'done', input: { output: /Title: (\w+)/.exec(page)?.[1] } };
			return { call: 'wait', input: { seconds: 0 } };
		});
		const end = await runTask(test, model, {
			initialUrl: shop.url,
			record: ({ number }) => {
				wasHeld = number === 1;
			},
			mayAct: async () => {
				if (wasHeld) await test.browser.page().goto(`${shop.url}/items/4`);
				return { wasHeld, takenOver: false };
			},
		});

		expect(end.output).toBe('Level');
	});

	it.each([
		['an action', { call: 'click', input: { ref: 'e5' } }],
		['an end', { call: 'give_up', input: { reason: 'The page wants a login' } }],
	])(
		'by a person, %s on its way is not carried out, and the page is read again',
		async (...given) => {
			const [, action] = given;
			let isTakenOver = false;
			model.does(({ number, page }) => {
				if (number > 1) return { call: 'done', input: { output: /Title: (\w+)/.exec(page)?.[1] } };
				isTakenOver = true;
				return action;
			});

			const end = await runTask(test, model, {
				initialUrl: shop.url,
				mayAct: async () => {
					const takenOver = isTakenOver;
					isTakenOver = false;
					if (takenOver) await test.browser.page().goto(`${shop.url}/items/4`);
					return { wasHeld: takenOver, takenOver };
				},
			});

			expect(end.output).toBe('Level');
			expect(shop.requests).not.toContain('GET /items/1');
			expect(end.steps[1]?.error).toBe('A person had taken over');
		},
	);
});
