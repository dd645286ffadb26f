/**
 * `node dev/build/checkRelease.mjs <tag>`, in the folder of the repository: says what keeps this
 * commit from being released, and exits with 1 then. Uses nothing that has to be installed, so that
 * the workflow can run it first.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SKIPPED = /(^|\/)(node_modules|dist|\.git)(\/|$)/;
const TEXTS = /\.(md|ya?ml)$/;

const [tag] = process.argv.slice(2);
const { name, version, author } = JSON.parse(readFileSync('package.json', 'utf8'));

const problems = [
	tag === `v${version}` ? '' : `The tag is ${tag}, but package.json says ${version}`,
	author.email.endsWith('@example.com') ? 'package.json has a placeholder for its author' : '',
	hasHeading() ? '' : `CHANGELOG.md has no heading '## [${version}] - <date>'`,
	...filesWithVersion().map((file) => `${file} has a file name or a command with a version`),
].filter((problem) => problem !== '');

for (const problem of problems) process.stdout.write(`::error::${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function hasHeading() {
	const headings = readFileSync('CHANGELOG.md', 'utf8').split('\n');
	return headings.some(
		(line) => line.startsWith(`## [${version}] - `) && /\d{4}-\d\d-\d\d$/.test(line),
	);
}

/** The next version would make them wrong, and no test would notice. */
function filesWithVersion() {
	const files = readdirSync('.', { recursive: true, encoding: 'utf8' });
	return files
		.filter((file) => TEXTS.test(file) && !SKIPPED.test(file.replaceAll(path.sep, '/')))
		.filter((file) => new RegExp(`${name}[-@]v?\\d`).test(readFileSync(file, 'utf8')));
}
