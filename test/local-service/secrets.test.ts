import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { isFor, readSecrets, secretIn } from '../../local-service/secrets';
import { useTemporaryFolder } from './support/temporaryData';

/** RFC 6238's test key, and its code at 59 s. */
const KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const CODE_AT_59_S = '287082';

const temporaryFolder = useTemporaryFolder();

function shown(env: Record<string, string>) {
	return readSecrets(env).map(({ name, host, value }) => [name, host, value()]);
}

describe('Secrets', () => {
	it('are read from the environment, with a host each', () => {
		expect(shown({ SECRET_SHOP_PASSWORD: 'Shop.example|a|b = c d', SECRET_EMPTY: '' })).toEqual([
			['SHOP_PASSWORD', 'shop.example', 'a|b = c d'],
		]);
	});

	it('are read from a file, too', () => {
		const file = path.join(temporaryFolder(), 'secrets');
		writeFileSync(
			file,
			'# For the shop\n\nUSER=shop.example:8080|ada.lovelace\r\nWORD = other.example|x=y and z\n',
		);

		expect(shown({ SECRETS_FILE: file })).toEqual([
			['USER', 'shop.example:8080', 'ada.lovelace'],
			['WORD', 'other.example', 'x=y and z'],
		]);
	});

	it.each([
		[KEY],
		['gezd gnbv gy3t qojq gezd gnbv gy3t qojq'],
		[`otpauth://totp/Shop:ada?secret=${KEY}&issuer=Shop`],
	])('are one-time codes after totp: (%s)', (key) => {
		jest.useFakeTimers({ now: 59_000 });
		const [secret] = readSecrets({ SECRET_CODE: `shop.example|totp:${key}` });

		expect([secret?.value(), secret?.isCode]).toEqual([CODE_AT_59_S, true]);
		jest.useRealTimers();
	});

	it.each([
		[{ SECRET_A: 'no bar' }, "SECRET_A must be 'host|value', such as 'shop.example|…'"],
		[{ SECRET_A: 'shop.example|' }, "SECRET_A must be 'host|value', such as 'shop.example|…'"],
		[{ SECRET_A: 'https://shop.example|hunter2' }, "SECRET_A must be 'host|value'"],
		[{ SECRET_A: 'shop.example|totp:hunter2!' }, 'SECRET_A must have the key of a one-time code'],
		[{ SECRET_A: 'shop.example|hunter2' }, 'SECRET_A must have at least 8 characters'],
		[{ SECRET_a: 'shop.example|hunter22' }, 'SECRET_a: the name of a secret has capital letters'],
		[{ SECRETS_FILE: '/nowhere' }, "SECRETS_FILE is '/nowhere', which can't be read (ENOENT)"],
	])('that can not be used are one sentence without the value: %j', (env, message) => {
		expect(() => readSecrets(env)).toThrow(
			expect.objectContaining({
				name: 'SettingError',
				message: expect.stringContaining(message) as string,
			}),
		);
		expect(() => readSecrets(env)).not.toThrow('hunter2');
	});

	it('belong to their host only: no subdomain, no http, no other port', () => {
		const secrets = readSecrets({
			SECRET_A: 'shop.example|password',
			SECRET_B: 'shop.example:8080|password',
		});
		const namesFor = (address: string) =>
			secrets.filter((secret) => isFor(secret, address)).map(({ name }) => name);

		expect(namesFor('https://shop.example/login')).toEqual(['A']);
		expect(namesFor('https://SHOP.example./')).toEqual(['A']);
		expect(namesFor('http://shop.example:8080/')).toEqual(['B']);
		for (const other of [
			'http://shop.example/',
			'https://shop.example:8443/',
			'https://www.shop.example/',
			'https://shop.example.evil.example/',
			'https://evil.example/?shop.example',
			'https://shop.example@evil.example/',
			'about:blank',
			'',
		]) {
			expect(namesFor(other)).toEqual([]);
		}
	});

	it('stand for a whole text only', () => {
		const secrets = readSecrets({ SECRET_A: 'a.example|password' });

		expect(secretIn(' <secret>A</secret> ', secrets)?.name).toBe('A');
		for (const text of ['http://evil.example/?<secret>A</secret>', '<secret>B</secret>', 'A', '']) {
			expect(secretIn(text, secrets)).toBeUndefined();
		}
	});
});
