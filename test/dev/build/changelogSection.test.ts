import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SCRIPT = path.resolve(__dirname, '../../../dev/build/changelogSection.mjs');

const CHANGELOG = `# Changelog

Introduction

## [1.10.0] - Unreleased

## [1.1.0] - 2026-01-31

### Added

- A [trigger](docs/trigger.md), like [others](https://example.com).

## [1.0.0] - 2026-01-01

First release
`;

/** Asks for the section of a tag. */
function section(tag: string) {
	const folder = mkdtempSync(path.join(tmpdir(), 'changelog-'));
	const repository = { url: 'git+https://github.com/publisher/thing.git' };
	writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ repository }));
	writeFileSync(path.join(folder, 'CHANGELOG.md'), CHANGELOG);
	const { stdout, stderr, status } = spawnSync(process.execPath, [SCRIPT, tag], {
		cwd: folder,
		encoding: 'utf8',
	});
	return { stdout, stderr, status };
}

describe('The text of a release', () => {
	it('is what the changelog says about its tag, with links to its files', () => {
		expect(section('v1.1.0').stdout).toBe(
			'### Added\n\n- A [trigger](https://github.com/publisher/thing/blob/v1.1.0/docs/trigger.md), ' +
				'like [others](https://example.com).\n',
		);
	});

	it('is that of the oldest version, too', () => {
		expect(section('v1.0.0').stdout).toBe('First release\n');
	});

	it.each(['v1.1', 'v2.0.0', 'v1.10.0', ''])('is an error for the tag "%s"', (tag) => {
		expect(section(tag)).toEqual({
			stdout: '',
			stderr: `CHANGELOG.md says nothing about ${tag}\n`,
			status: 1,
		});
	});
});
