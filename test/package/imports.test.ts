import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findForbiddenImports } from './importTable';

const ROOT = resolve(__dirname, '../..');

function sourceFiles(): string[] {
	return ['credentials', 'nodes', 'sandbox']
		.filter((folder) => existsSync(join(ROOT, folder)))
		.flatMap((folder) =>
			readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
				.filter((path) => path.endsWith('.ts'))
				.map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
		);
}

describe('the import table', () => {
	it('holds for every source file', () => {
		const forbidden = sourceFiles().flatMap((path) =>
			findForbiddenImports(path, readFileSync(join(ROOT, path), 'utf8')),
		);

		expect(forbidden).toEqual([]);
	});

	it.each([
		['its own room', 'nodes/client/request.ts', "import { sign } from './sign';"],
		[
			'another operation of the same node',
			'nodes/BrowserAgent/operations/agent/run.ts',
			"import { toRequest } from '../job/get';",
		],
		[
			'a room of both nodes',
			'nodes/BrowserAgent/operations/job/get.ts',
			"import { toJobItem } from '../../../items/jobItem';",
		],
		[
			'the rule for the address, from the credential',
			'credentials/BrowserAgentApi.credentials.ts',
			"import { normalizeBaseUrl } from '../nodes/client/baseUrl';",
		],
		['sleep, in the clock', 'nodes/jobs/clock.ts', "import { sleep } from 'n8n-workflow';"],
		[
			'a type of the client, from a job',
			'nodes/jobs/waitForJob.ts',
			"import type { JobStatusBody } from '../client/types';",
		],
		[
			'names that are types one by one',
			'nodes/items/jobItem.ts',
			"import { type JobStatusBody, type StartedJob } from '../client/types';",
		],
		[
			'the clock, from the client',
			'nodes/client/rateBudget.ts',
			"import { x } from '../jobs/clock';",
		],
		[
			'a type of a job, from the client',
			'nodes/client/types.ts',
			"import type { JobStatus } from '../jobs/status';",
		],
		['n8n', 'nodes/client/connect.ts', "import { NodeApiError } from 'n8n-workflow';"],
		[
			'a type of Node.js',
			'nodes/client/download.ts',
			"import type { Readable } from 'node:stream';",
		],
		['a package, from the sandbox', 'dev/sandbox/main.ts', "import express from 'express';"],
	])('allows %s', (_label, path, text) => {
		expect(findForbiddenImports(path, text)).toEqual([]);
	});

	it.each([
		[
			'one node to use the other',
			'nodes/BrowserAgentTrigger/watchJobs.ts',
			"import { run } from '../BrowserAgent/runItems';",
		],
		[
			'a shared room to use a node',
			'nodes/jobs/waitForJob.ts',
			"import { read } from '../BrowserAgent/parameters/waiting';",
		],
		[
			'a job to call the client',
			'nodes/jobs/waitForJob.ts',
			"import { ServiceClient } from '../client/ServiceClient';",
		],
		[
			'a value beside a type',
			'nodes/items/jobItem.ts',
			"import { type JobStatusBody, parse } from '../client/types';",
		],
		[
			'the client to wait for a job',
			'nodes/client/ServiceClient.ts',
			"import { waitForJob } from '../jobs/waitForJob';",
		],
		[
			'the client to write what the user reads',
			'nodes/client/request.ts',
			"import { toNodeError } from '../errors/toNodeError';",
		],
		[
			'the errors to know the client, even its types',
			'nodes/errors/toNodeError.ts',
			"import type { Job } from '../client/types';",
		],
		[
			'the credential to use more than the address rule',
			'credentials/BrowserAgentApi.credentials.ts',
			"import { request } from '../nodes/client/request';",
		],
		[
			'a job to use n8n outside the clock',
			'nodes/jobs/waitForJob.ts',
			"import { sleep } from 'n8n-workflow';",
		],
		[
			'the clock to use more of n8n than sleep',
			'nodes/jobs/clock.ts',
			"import { sleep, NodeApiError } from 'n8n-workflow';",
		],
		['another package', 'nodes/client/request.ts', "import axios from 'axios';"],
		['a type of another package', 'nodes/client/types.ts', "import type { A } from 'axios';"],
		['more of Node.js', 'nodes/client/download.ts', "import { Readable } from 'node:stream';"],
		[
			'a second export of what is imported',
			'nodes/errors/index.ts',
			"export * from '../client/x';",
		],
		['require', 'nodes/client/request.ts', "const http = require('node:http');"],
		['import at run time', 'nodes/client/request.ts', "void import('../jobs/waitForJob');"],
		['import of a name worked out', 'nodes/client/request.ts', 'void import(name);'],
		['import with equals', 'nodes/client/request.ts', "import http = require('node:http');"],
		[
			'a type written as an import',
			'nodes/errors/toNodeError.ts',
			"type Job = import('../client/types').Job;",
		],
		[
			'a file outside the rooms',
			'nodes/client/request.ts',
			"import packageJson from '../../package.json';",
		],
		['a room that the table lacks', 'nodes/misc/x.ts', "import { sleep } from 'n8n-workflow';"],
		[
			'the sandbox to know the nodes',
			'dev/sandbox/main.ts',
			"import type { Job } from '../../nodes/client/types';",
		],
	])('does not allow %s', (_label, path, text) => {
		expect(findForbiddenImports(path, text)).toHaveLength(1);
	});
});
