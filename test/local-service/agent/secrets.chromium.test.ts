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
async function run(script: Script, { at = shop.url, host = shop.host } = {}) {
	model.does(script);
	const secrets = readSecrets({
		SECRET_SHOP_PASSWORD: `${host}|${PASSWORD}`,
		SECRET_SHOP_CODE: `${host}|totp:${KEY}`,
	});
	const settings = { ...test.settings, secrets };
	const end = await runTask({ browser: test.browser, settings }, model, {
		initialUrl: `${at}/login`,
	});
	const told = model.arrivals.map(({ body }) => body).join('\n');
	const kept = JSON.stringify(end.steps.map(({ screenshot: _picture, ...step }) => step));
	return { end, told, kept };
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
		const { end, told, kept } = await run(
			inTurn(type('User', 'ada'), type('Password', TYPED, true)),
		);

		expect(end.error).toBeUndefined();
		expect(test.browser.page().url()).toBe(`${shop.url}/account`);
		expect(told).toContain('Secrets that you can type here: <secret>SHOP_PASSWORD</secret>');
		expect(told).not.toContain(PASSWORD);
		expect(kept).not.toContain(PASSWORD);
	});

	it('stands under its name in a field whose content is shown', async () => {
		const { told, kept } = await run(inTurn(type('User', TYPED)));

		expect(told).toContain(`[ref=e5]: ${TYPED}`);
		expect(told + kept).not.toContain(PASSWORD);
	});

	it('that is a one-time code is the code of now, and stands under its name, too', async () => {
		const { told, kept } = await run(inTurn(type('User', '<secret>SHOP_CODE</secret>')));
		const code = await test.browser.page().getByLabel('User').inputValue();

		expect(code).toMatch(/^\d{6}$/);
		expect(told).toMatch(/\[ref=e5\]: .*<secret>SHOP_CODE<\/secret>/);
		expect(told + kept).not.toContain(code);
	});

	it('is typed as it stands on another host, which it is not listed for', async () => {
		const at = shop.url.replace('127.0.0.1', 'localhost');
		const { told } = await run(inTurn(type('User', TYPED)), { at });

		expect(await test.browser.page().getByLabel('User').inputValue()).toBe(TYPED);
		expect(told).not.toContain('Secrets that you can type here');
	});

	it('is typed as it stands in a frame of another host', async () => {
		const other = shop.url.replace('127.0.0.1', 'localhost');
		shop.page('/login', `<h1>Real</h1><iframe src="${other}/trap"></iframe>`);
		shop.page('/trap', '<input aria-label="Trap">');
		await run(inTurn(type('Trap', TYPED)));
		const trap = test.browser.page().frameLocator('iframe').getByLabel('Trap');

		expect(await trap.inputValue()).toBe(TYPED);
	});

	it('is hidden where a page shows it before anybody has typed it', async () => {
		shop.page('/login', `<h1>Your password is ${PASSWORD}</h1>`);
		const { told } = await run(inTurn());

		expect(told).toContain(`Your password is ${TYPED}`);
		expect(told).not.toContain(PASSWORD);
	});
});
