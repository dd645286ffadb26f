import {
	chromiumEnvironment,
	findChromium,
	startProblem,
} from '../../../local-service/browser/chromium';

describe('Chromium', () => {
	it('is found in PATH', () => {
		const { PATH } = process.env;
		process.env.PATH = '/nowhere';
		const missing = () => findChromium({});

		expect(missing).toThrow(
			"No Chromium was found: install it, with 'apt install chromium' on Debian, or set CHROMIUM_BIN",
		);
		process.env.PATH = PATH;
	});

	it('is that of CHROMIUM_BIN, or none', () => {
		expect(findChromium({ chromiumBin: process.execPath })).toBe(process.execPath);
		expect(() => findChromium({ chromiumBin: '/nowhere' })).toThrow(
			"CHROMIUM_BIN is '/nowhere', which is no program",
		);
	});

	it.each([
		['[pid=1][err] No usable sandbox! Update your kernel', true, 'or set CHROMIUM_SANDBOX=off'],
		[
			'Failed to create a ProcessSingleton: the profile is already in use by',
			false,
			'uses its profile',
		],
		['launch: Timeout 60000ms exceeded', false, 'did not start in time'],
		['error while loading shared libraries: libnss3.so', false, 'lacks a library'],
		['chromium --no-sandbox --disable-setuid-sandbox: exited', false, 'try to run it by hand'],
	])('that does not start says what helps: %s', (message, chromiumSandbox, words) => {
		jest.spyOn(process, 'getuid').mockReturnValue(1000);

		expect(startProblem(new Error(message), { chromiumSandbox })).toContain(words);
	});

	it('says that it does not start as root with its sandbox', () => {
		jest.spyOn(process, 'getuid').mockReturnValue(0);

		expect(startProblem(new Error('exited'), { chromiumSandbox: true })).toBe(
			'Chromium does not start as root with its sandbox on: run the service as another user, or set ' +
				'CHROMIUM_SANDBOX=off',
		);
	});

	it('gets no variable that may be a key', () => {
		process.env.OPENAI_API_KEY = 'sk-key';
		process.env.SECRET_SHOP = 'secret';
		const environment = chromiumEnvironment();
		delete process.env.OPENAI_API_KEY;
		delete process.env.SECRET_SHOP;

		expect(Object.keys(environment)).toContain('PATH');
		expect(Object.values(environment).join()).not.toMatch(/sk-key|secret/);
	});
});
