/**
 * `node dev/build/checkRelease.mjs <tag>`, in the folder of the repository: says what keeps this
 * commit from being released, and exits with 1 then. Uses nothing that has to be installed, so that
 * the workflow can run it first.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SKIPPED = /(^|\/)(node_modules|dist|coverage|packed|\.git)(\/|$)/;
const TEXTS = /\.(md|ya?ml|json|[cm]?[jt]s)$/;
const PAGES = /\.(md|ya?ml)$/;
/** They name the placeholders to say what replaces them, or to look for them. */
const ABOUT_RELEASES = [
	'dev/publishing.md',
	'dev/build/checkRelease.mjs',
	'test/dev/build/checkRelease.test.ts',
];

const [tag] = process.argv.slice(2);
const { name, version, ...metadata } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The next version would make these wrong, and no test would notice. */
const VERSION_IN_NAME = new RegExp(`${name}[-@]v?\\d`);

/** Texts that stand in for what is known only at the first release. */
const PLACEHOLDERS = [
	[/browser-agent-contributors/, 'the placeholder organisation'],
	[/Browser Agent for n8n contributors|contributors@example/, 'the placeholder author'],
	[/\bvendor[abc]\b/, 'an anonymised model name'],
	[/not on npm yet/i, "'not on npm yet'"],
	[/before the first release/i, "'before the first release'"],
	[/no live model|not yet against/i, 'a text about what has not been tried'],
	[/once (the package is on npm|it is published)/i, "'once it is published'"],
];

const texts = readTexts();

const problems = [
	...(tag === `v${version}` ? [] : [`The tag is ${tag}, but package.json says ${version}`]),
	...placeholderAddresses(),
	...(hasHeading() ? [] : [`CHANGELOG.md has no heading '## [${version}] - <date>'`]),
	...namesWith(VERSION_IN_NAME, ({ file }) => PAGES.test(file)).map(
		(file) => `${file} has a file name or a command with a version`,
	),
	...PLACEHOLDERS.flatMap(([pattern, what]) => {
		const files = namesWith(pattern, ({ file }) => !ABOUT_RELEASES.includes(file));
		return files.length > 0 ? [`${files.join(', ')}: ${what}`] : [];
	}),
];

for (const problem of problems) process.stdout.write(`::error::${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** All texts of the repository, with their paths as they are in Git. */
function readTexts() {
	const files = readdirSync('.', { recursive: true, encoding: 'utf8' });
	return files
		.map((file) => file.replaceAll(path.sep, '/'))
		.filter((file) => TEXTS.test(file) && !SKIPPED.test(file))
		.sort()
		.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

function namesWith(pattern, isMeant) {
	return texts.filter((one) => isMeant(one) && pattern.test(one.text)).map(({ file }) => file);
}

/** Fields of package.json with an address that nobody can have. */
function placeholderAddresses() {
	return ['author', 'repository', 'homepage', 'bugs']
		.filter((field) => /\bexample\.(com|org|net)\b/.test(JSON.stringify(metadata[field] ?? '')))
		.map((field) => `package.json has a placeholder for '${field}'`);
}

function hasHeading() {
	const headings = readFileSync('CHANGELOG.md', 'utf8').split('\n');
	return headings.some(
		(line) => line.startsWith(`## [${version}] - `) && /\d{4}-\d\d-\d\d$/.test(line),
	);
}
