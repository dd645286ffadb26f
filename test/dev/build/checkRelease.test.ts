import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SCRIPT = path.resolve(__dirname, '../../../dev/build/checkRelease.mjs');

interface Repository {
	email?: string;
	changelog?: string;
	readme?: string;
}

/** Checks a repository with version 1.2.3: what is wrong, and whether it may be released. */
function check(tag: string, { email, changelog, readme }: Repository = {}) {
	const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
	const packageJson = {
		name: 'n8n-nodes-thing',
		version: '1.2.3',
		author: { name: 'A', email: email ?? 'a@publisher.org' },
	};
	writeFileSync(path.join(folder, 'package.json'), JSON.stringify(packageJson));
	writeFileSync(path.join(folder, 'CHANGELOG.md'), changelog ?? '## [1.2.3] - 2026-01-31\n');
	writeFileSync(path.join(folder, 'README.md'), readme ?? 'npm install ./n8n-nodes-thing-*.tgz');
	const { stdout, status } = spawnSync(process.execPath, [SCRIPT, tag], {
		cwd: folder,
		encoding: 'utf8',
	});
	return { problems: stdout.split('\n').filter(Boolean), isReleasable: status === 0 };
}

describe('The check before a release', () => {
	it('passes when tag, author, changelog and pages are right', () => {
		expect(check('v1.2.3')).toEqual({ problems: [], isReleasable: true });
	});

	it.each<[string, string, Repository, string]>([
		['a tag of another version', 'v1.2.4', {}, 'The tag is v1.2.4, but package.json says 1.2.3'],
		[
			'the placeholder author',
			'v1.2.3',
			{ email: 'contributors@example.com' },
			'package.json has a placeholder for its author',
		],
		[
			'a changelog without the version',
			'v1.2.3',
			{ changelog: '## [1.2.2] - 2026-01-31' },
			"CHANGELOG.md has no heading '## [1.2.3] - <date>'",
		],
		[
			'a version in the changelog without a date',
			'v1.2.3',
			{ changelog: '## [1.2.3] - Unreleased' },
			"CHANGELOG.md has no heading '## [1.2.3] - <date>'",
		],
		[
			'a version in a file name',
			'v1.2.3',
			{ readme: 'npm install ./n8n-nodes-thing-1.2.2.tgz' },
			'README.md has a file name or a command with a version',
		],
	])('refuses %s', (_label, tag, repository, problem) => {
		expect(check(tag, repository)).toEqual({
			problems: [`::error::${problem}`],
			isReleasable: false,
		});
	});
});
