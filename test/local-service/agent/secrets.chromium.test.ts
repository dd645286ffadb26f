import { readSecrets } from '../../../local-service/secrets';
import { runTask } from '../support/runTask';
import { useBrowser } from '../support/useBrowser';
import { refOf, type Script, useModelServer } from '../support/useModelServer';
import { PASSWORD, useShop } from '../support/useShop';

const KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const TYPED = '<secret>SHOP_PASSWORD</secret>';

const shop = useShop();
const model = useModelServer();
const test = useBrowser(() => ({
	allowedHosts: [shop.host, shop.host.replace('127.0.0.1', 'localhost')],
}));

/** Runs a task with the secrets of the shop, as the model and the history saw it. */
async function run(script: Script, { at = shop.url, host = shop.host, canBeFilledIn = true } = {}) {
	model.does(script);
	const secrets = readSecrets({
		SECRET_SHOP_PASSWORD: `${host}|${PASSWORD}`,
		SECRET_SHOP_CODE: `${host}|totp:${KEY}`,
	});
	const settings = { ...test.settings, secrets };
	const end = await runTask({ browser: test.browser, settings }, model, {
		initialUrl: `${at}/login`,
		...(canBeFilledIn ? {} : { secrets: [] }),
	});
	const requests = model.arrivals.map(({ body }) => body).join('\n');
	const history = JSON.stringify(end.steps.map(({ screenshot: _picture, ...step }) => step));
	return { end, requests, history };
}

function type(label: string, text: string, submit = false): Script {
	return ({ page }) => ({
		call: 'type',
		input: { ref: refOf(page, `textbox "${label}"`), text, submit },
	});
}

/** One after the other, then the end. */
function inTurn(...scripts: Script[]): Script {
	return async (shown) =>
		(await scripts[shown.number - 1]?.(shown)) ?? { call: 'done', input: { output: 'End' } };
}

describe('A secret', () => {
	it('is filled in on its host, and nobody but the page sees it', async () => {
		const { end, requests, history } = await run(
			inTurn(type('User', 'ada'), type('Password', TYPED, true)),
		);

		expect(end.error).toBeUndefined();
		expect(test.browser.page().url()).toBe(`${shop.url}/account`);
		expect(requests).toContain('Secrets that you can type here: <secret>SHOP_PASSWORD</secret>');
		expect(requests).not.toContain(PASSWORD);
		expect(history).not.toContain(PASSWORD);
	});

	it('that is no code is typed into a password field only', async () => {
		const { end } = await run(inTurn(type('User', TYPED)));

		expect(end.steps.at(1)?.error).toBe('This secret can be typed into a password field only.');
		expect(await test.browser.page().getByLabel('User').inputValue()).toBe('');
	});

	it('stands under its name when the page shows what is in the field', async () => {
		shop.page(
			'/login',
			`<input type="password" aria-label="Password" oninput="this.type = 'text'">`,
		);
		const { requests, history } = await run(inTurn(type('Password', TYPED)));

		expect(requests).toMatch(/textbox \\"Password\\".*<secret>SHOP_PASSWORD<\/secret>/);
		expect(requests + history).not.toContain(PASSWORD);
	});

	it('that is a one-time code is the code of now, and stands under its name, too', async () => {
		const { requests, history } = await run(inTurn(type('User', '<secret>SHOP_CODE</secret>')));
		const code = await test.browser.page().getByLabel('User').inputValue();

		expect(code).toMatch(/^\d{6}$/);
		expect(requests).toMatch(/\[ref=e5\]: .*<secret>SHOP_CODE<\/secret>/);
		expect(requests + history).not.toContain(code);
	});

	it('is typed as it stands on another host, which it is not listed for', async () => {
		const at = shop.url.replace('127.0.0.1', 'localhost');
		const { requests } = await run(inTurn(type('User', TYPED)), { at });

		expect(await test.browser.page().getByLabel('User').inputValue()).toBe(TYPED);
		expect(requests).not.toContain('Secrets that you can type here');
	});

	it('is typed as it stands in a frame of another host', async () => {
		const other = shop.url.replace('127.0.0.1', 'localhost');
		shop.page('/login', `<h1>Real</h1><iframe src="${other}/trap"></iframe>`);
		shop.page('/trap', '<input aria-label="Trap">');
		await run(inTurn(type('Trap', TYPED)));
		const trap = test.browser.page().frameLocator('iframe').getByLabel('Trap');

		expect(await trap.inputValue()).toBe(TYPED);
	});

	it('does not reach a page that says that its field is in a frame of the host', async () => {
		const other = shop.url.replace('127.0.0.1', 'localhost');
		shop.page(
			'/login',
			`<input type="password" aria-label="Trap"><iframe src="${shop.url}/items/1"></iframe><script>
			const [trap] = document.getElementsByTagName('input');
			const [frame] = document.getElementsByTagName('iframe');
			Object.defineProperty(trap, 'documentElement', { value: frame });
			Object.defineProperty(trap, 'ownerDocument', { value: { documentElement: frame } });
			Object.defineProperty(frame, 'ownerDocument', { value: trap });
			</script>`,
		);
		await run(inTurn(type('Trap', TYPED)), { at: other });

		expect(await test.browser.page().evaluate("document.querySelector('input').value")).toBe(TYPED);
	});

	it('does not reach a page around the frame of the host that takes the focus', async () => {
		const other = shop.url.replace('127.0.0.1', 'localhost');
		shop.page('/framed', '<input type="password" aria-label="Password">');
		shop.page(
			'/login',
			`<input id="trap"><iframe src="${shop.url}/framed"></iframe><script>
			const trap = document.getElementById('trap');
			setInterval(() => trap.focus(), 0);
			addEventListener('blur', () => trap.focus());
			</script>`,
		);
		await run(inTurn(type('Password', TYPED)), { at: other });
		const page = test.browser.page();

		expect(await page.evaluate("document.getElementById('trap').value")).toBe('');
		const field = page.frameLocator('iframe').getByLabel('Password');
		expect(await field.inputValue()).toBe(PASSWORD);
	});

	it.each(['Control+c', 'Meta+Shift+V', 'Shift+Insert', 'ControlOrMeta+x'])(
		'is not carried to another host by %s',
		async (key) => {
			const { end } = await run(inTurn(() => ({ call: 'press', input: { key } })));

			expect(end.steps.at(1)?.error).toBe('The clipboard can not be used while there are secrets.');
		},
	);

	it('is hidden, but not filled in, in a browser of the user, which may have been lent', async () => {
		shop.page(
			'/login',
			`<h1>Log in</h1><p>${PASSWORD}</p><input type="password" aria-label="Word">`,
		);
		const { requests, history } = await run(inTurn(type('Word', TYPED)), { canBeFilledIn: false });

		expect(requests).not.toContain(PASSWORD);
		expect(requests).not.toContain('Secrets that you can type here');
		expect(history).not.toContain(PASSWORD);
		expect(await test.browser.page().getByLabel('Word').inputValue()).toBe(TYPED);
	});

	it('is hidden where a page shows it before anybody has typed it', async () => {
		shop.page('/login', `<h1>Your password is ${PASSWORD}</h1>`);
		const { requests } = await run(inTurn());

		expect(requests).toContain(`Your password is ${TYPED}`);
		expect(requests).not.toContain(PASSWORD);
	});
});
