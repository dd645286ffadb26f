import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SCRIPT = path.resolve(__dirname, '../../../dev/build/checkRelease.mjs');

const PACKAGE_JSON = {
	name: 'n8n-nodes-thing',
	version: '1.2.3',
	author: { name: 'A', email: 'a@publisher.org' },
	repository: { type: 'git', url: 'git+https://github.com/publisher/n8n-nodes-thing.git' },
	homepage: 'https://github.com/publisher/n8n-nodes-thing#readme',
	bugs: { url: 'https://github.com/publisher/n8n-nodes-thing/issues' },
};

/** The files of a repository that may be released as version 1.2.3. */
const FILES: Record<string, string> = {
	'package.json': JSON.stringify(PACKAGE_JSON),
	'CHANGELOG.md': '## [1.2.3] - 2026-01-31\n',
	'README.md': 'npm install ./n8n-nodes-thing-*.tgz',
};

/** Checks a repository with these files changed: what is wrong, and whether it may be released. */
function check(tag: string, changed: Record<string, string> = {}) {
	const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
	for (const [file, text] of Object.entries({ ...FILES, ...changed })) {
		mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
		writeFileSync(path.join(folder, file), text);
	}
	const { stdout, status } = spawnSync(process.execPath, [SCRIPT, tag], {
		cwd: folder,
		encoding: 'utf8',
	});
	return { problems: stdout.split('\n').filter(Boolean), isReleasable: status === 0 };
}

function withMetadata(changed: object): Record<string, string> {
	return { 'package.json': JSON.stringify({ ...PACKAGE_JSON, ...changed }) };
}

describe('The check before a release', () => {
	it('passes when tag, metadata, changelog and texts are right', () => {
		expect(check('v1.2.3')).toEqual({ problems: [], isReleasable: true });
	});

	it.each<[string, string, Record<string, string>, string]>([
		['a tag of another version', 'v1.2.4', {}, 'The tag is v1.2.4, but package.json says 1.2.3'],
		[
			'a version in the changelog without a date',
			'v1.2.3',
			{ 'CHANGELOG.md': '## [1.2.3] - Unreleased' },
			"CHANGELOG.md has no heading '## [1.2.3] - <date>'",
		],
		[
			'a version in a file name',
			'v1.2.3',
			{ 'README.md': 'npm install ./n8n-nodes-thing-1.2.2.tgz' },
			'README.md has a file name or a command with a version',
		],
		[
			'an author whose address nobody can have',
			'v1.2.3',
			withMetadata({ author: { name: 'A', email: 'a@example.com' } }),
			"package.json has a placeholder for 'author'",
		],
		[
			'the placeholder organisation',
			'v1.2.3',
			{ 'nodes/links.ts': "'https://github.com/browser-agent-contributors'" },
			'nodes/links.ts: the placeholder organisation',
		],
		[
			'an anonymised model name',
			'v1.2.3',
			{ 'nodes/models.ts': "'vendorb/vendorb-3-flash-preview'" },
			'nodes/models.ts: an anonymised model name',
		],
	])('refuses %s', (_label, tag, files, problem) => {
		expect(check(tag, files)).toEqual({
			problems: [`::error::${problem}`],
			isReleasable: false,
		});
	});

	it('lets the page about publishing name the placeholders', () => {
		const page = '## Before the first release\n\nReplace browser-agent-contributors.';

		expect(check('v1.2.3', { 'dev/publishing.md': page }).problems).toEqual([]);
	});
});
