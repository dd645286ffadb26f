/**
 * `node dev/build/changelogSection.mjs <tag>`, in the folder of the repository: prints what
 * CHANGELOG.md says about this version, without its heading, for the release on GitHub. Links to
 * files of the repository lead to the tag. Exits with 1 if there is nothing about it.
 */
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const section = sections.find((text) => text.startsWith(`[${tag.replace(/^v/, '')}]`)) ?? '';
const text = section.slice(section.indexOf('\n') + 1).trim();

if (section === '' || text === '') {
	process.stderr.write(`CHANGELOG.md says nothing about ${tag}\n`);
	process.exitCode = 1;
} else {
	process.stdout.write(`${text.replace(/\]\((?!https?:)/g, `](${home}/blob/${tag}/`)}\n`);
}
