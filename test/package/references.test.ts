/** A comment that names a file of this repository must name one that exists. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const FOLDERS = [
	'nodes',
	'credentials',
	'api',
	'local-service',
	'dev',
	'test',
	'docs',
	'examples',
	'.github',
	'.ci',
];
const SOURCES = /\.([cm]?[jt]s|ya?ml)$/;
const COMMENT = /(?:^\s*(?:\/\/|\/?\*|#)|\s\/\/\s|\/\*\*)(.*)$/gm;
const FILE_NAME = /(?<![\w:/.-])\w[\w./-]*\.(?:[cm]?[jt]s|md|ya?ml|json)\b/g;
const NOT_FILES = ['Node.js'];

const files = [
	...readdirSync(ROOT, { withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ name }) => name),
	...FOLDERS.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
			join(folder, file),
		),
	),
];

function exists(name: string): boolean {
	return files.some((file) => file === name || file.endsWith(`/${name}`));
}

it('Each file that a comment in the code names exists', () => {
	const dangling = files
		.filter((file) => SOURCES.test(file))
		.flatMap((file) => {
			const text = readFileSync(join(ROOT, file), 'utf8');
			const comments = [...text.matchAll(COMMENT)].map(([, comment = '']) => comment);
			const names = comments.flatMap((comment) => comment.match(FILE_NAME) ?? []);
			return names
				.filter((name) => !NOT_FILES.includes(name) && !exists(name))
				.map((name) => `${file}: ${name}`);
		});

	expect(dangling).toEqual([]);
});
