import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import packageJson from '../../package.json';
import { bundle } from '../../dev/build/bundle';

const MODULES = resolve(__dirname, '../../node_modules');
const RUN_FILE = /^run\.[0-9a-f]{8}\.js$/;

let folder: string;
let runFile: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'bundle-'));
	await bundle(folder);
	runFile = readdirSync(folder).find((name) => RUN_FILE.test(name)) ?? '';
});

afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
});

function read(name: string): string {
	return readFileSync(join(folder, name), 'utf8');
}

/** What a script prints as JSON, in a process that has loaded none of it. */
function evaluate(script: string): unknown {
	const options = { cwd: folder, env: { ...process.env, NODE_PATH: MODULES } };
	return JSON.parse(execFileSync(process.execPath, ['-e', script], options).toString());
}

function modulesIn(name: string): string[] {
	return read(name).match(/^\/\/ (nodes|credentials)\/.+\.ts$/gm) ?? [];
}

/** The names that a file takes from what it has under `source`. */
function askedOf(source: string, name: string): string[] {
	const code = read(name);
	const variables = [...code.matchAll(/^var (import_\w+) = (.+);$/gm)]
		.filter(([, , from]) => from === source)
		.map(([, variable]) => variable);
	const asked = [...code.matchAll(/\b(import_\w+)\.(\w+)/g)]
		.filter(([, variable]) => variables.includes(variable))
		.map(([, , asked]) => asked ?? '');
	return [...new Set(asked)];
}

describe('the built package', () => {
	it('loads what runs only when a node runs', () => {
		const classFiles = [...packageJson.n8n.credentials, ...packageJson.n8n.nodes];

		const loaded = evaluate(`
			for (const file of ${JSON.stringify(classFiles.map((file) => file.replace('dist/', './')))})
				new (Object.values(require(file))[0])();
			console.log(JSON.stringify(Object.keys(require.cache).map((file) => path.basename(file))));
		`);

		expect(loaded).toContain('package.js');
		expect(loaded).not.toContain(runFile);
	});

	it('has each module once', () => {
		const modules = [...modulesIn('package.js'), ...modulesIn(runFile)];

		expect(modules.length).toBeGreaterThan(50);
		expect(modules).toHaveLength(new Set(modules).size);
	});

	it.each([
		['what is described finds what runs', 'whenRun', () => ['package.js', runFile]],
		['what runs finds what is described', 'require("./package.js")', () => [runFile, 'package.js']],
	])('%s', (_direction, source, files) => {
		const [from = '', to = ''] = files();
		const asked = askedOf(source, from);

		const found = evaluate(`console.log(JSON.stringify(Object.keys(require('./${to}'))))`);

		expect(asked).not.toEqual([]);
		expect(found).toEqual(expect.arrayContaining(asked));
	});

	describe('while another version is put in its place', () => {
		const EXECUTE = `
			const { renameSync, writeFileSync } = require('fs');
			const { BrowserAgent } = require('./package.js');
			const execute = async () =>
				await new BrowserAgent().execute.call({}).catch(({ message }) => message);
		`;

		it('goes on with what it has loaded', () => {
			const [before, after] = evaluate(`${EXECUTE}
				(async () => {
					const before = await execute();
					delete require.cache[require.resolve('./${runFile}')];
					renameSync('./${runFile}', './run.kept');
					const after = await execute();
					renameSync('./run.kept', './${runFile}');
					console.log(JSON.stringify([before, after]));
				})();
			`) as [string, string];

			expect(before).toMatch(/is not a function/);
			expect(after).toBe(before);
		});

		it('runs nothing of the other, when it has not run yet', () => {
			const message = evaluate(`${EXECUTE}
				(async () => {
					renameSync('./${runFile}', './run.kept');
					writeFileSync('./run.00000000.js', '');
					const message = await execute();
					renameSync('./run.kept', './${runFile}');
					console.log(JSON.stringify(message));
				})();
			`);

			expect(message).toContain(`Cannot find module './${runFile}'`);
		});
	});
});
