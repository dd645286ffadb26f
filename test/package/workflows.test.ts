import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

interface Job {
	permissions?: Record<string, string>;
	environment?: { name: string };
	needs?: string;
	if?: string;
	strategy?: { matrix: Record<string, unknown> };
	steps: Array<{ uses?: string; run?: string }>;
}

interface Workflow {
	on: unknown;
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

const GITHUB = resolve(__dirname, '../../.github');
const FILES = readdirSync(join(GITHUB, 'workflows'));

function readText(file: string): string {
	return readFileSync(join(GITHUB, file), 'utf8');
}

function readWorkflow(file: string): Workflow {
	return parse(readText(`workflows/${file}`)) as Workflow;
}

it.each(FILES)('%s pins every action by its commit, with the version beside it', (file) => {
	const uses = readText(`workflows/${file}`).match(/^.*\buses:.*$/gm) ?? [];

	expect(uses.length).toBeGreaterThan(0);
	expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/.test(line))).toEqual([]);
});

it.each(FILES)('%s grants nothing beyond reading to all of its jobs', (file) => {
	const { permissions } = readWorkflow(file);

	expect(permissions).toBeDefined();
	expect(Object.values(permissions).filter((access) => access !== 'read')).toEqual([]);
});

describe('publish.yml', () => {
	const { on, jobs } = readWorkflow('publish.yml');
	const { build, publish } = jobs;
	const commands = (job?: Job) => job?.steps.flatMap(({ run }) => run ?? []) ?? [];

	it('runs for version tags only', () => {
		expect(on).toEqual({ push: { tags: ['v*'] } });
	});

	it('builds only what is on main', () => {
		expect(commands(build).join('\n')).toContain(
			'merge-base --is-ancestor "$GITHUB_SHA" origin/main',
		);
	});

	it('gives the permission for a token to the job that publishes, and to no other', () => {
		const permissions = Object.entries(jobs).map(([name, job]) => [name, job.permissions]);

		expect(Object.fromEntries(permissions)).toEqual({
			build: { contents: 'read' },
			publish: { 'id-token': 'write' },
		});
	});

	it('publishes in the protected environment, after the build', () => {
		expect(publish).toMatchObject({ needs: 'build', environment: { name: 'npm' } });
	});

	it('publishes without checking out or installing anything', () => {
		const actions = publish?.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []);

		expect(actions).toEqual(['actions/setup-node', 'actions/download-artifact']);
		expect(
			commands(publish).filter((command) => /npm (ci|install|run|test)/.test(command)),
		).toEqual([]);
	});
});

describe('n8n-versions.yml', () => {
	const { on, jobs } = readWorkflow('n8n-versions.yml');
	const { test, report } = jobs;

	it('runs every week', () => {
		expect(on).toMatchObject({ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \d$/) }] });
	});

	it("tests the package on n8n's latest and next release, and in a whole n8n", () => {
		const commands = test?.steps.flatMap(({ run }) => run ?? []);

		expect(test?.strategy?.matrix).toEqual({ n8n: ['latest', 'next'] });
		expect(commands).toEqual(
			expect.arrayContaining(['npm run test:compat -- "$N8N_TAG"', 'npm run test:e2e']),
		);
	});

	it('opens an issue when a test fails, in a job that may do nothing else', () => {
		expect(report).toMatchObject({ needs: 'test', if: 'failure()' });
		expect(report?.permissions).toEqual({ issues: 'write' });
		expect(report?.steps.map(({ run }) => run).join()).toContain('gh issue create');
	});
});

it('Dependabot watches the actions, the tools and n8n', () => {
	const { updates } = parse(readText('dependabot.yml')) as {
		updates: Array<Record<string, unknown>>;
	};

	expect(updates.map((entry) => [entry['package-ecosystem'], entry.directory])).toEqual([
		['github-actions', '/'],
		['npm', '/'],
		['npm', '/dev/n8n/install'],
	]);
});
