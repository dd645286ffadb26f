import { defineConfig, globalIgnores } from 'eslint/config';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import regexpPlugin from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { sourceScan } from './eslint.n8n.mjs';

// A module imports only from its own folder and from the folders named after it.
const LAYERS = {
	'nodes/BrowserAgent': [
		'runtime.ts',
		'parameters',
		'structuredOutput',
		'jobs',
		'service',
		'errors',
		'async',
	],
	'nodes/BrowserAgentTrigger': [
		'runtime.ts',
		'parameters',
		'structuredOutput',
		'jobs',
		'service',
		'errors',
		'async',
	],
	'nodes/runtime.ts': ['jobs', 'service', 'errors', 'async'],
	'nodes/parameters': ['structuredOutput', 'jobs', 'service', 'errors', 'async'],
	'nodes/jobs': ['structuredOutput', 'service', 'errors', 'async'],
	'nodes/structuredOutput': ['service', 'errors'],
	'nodes/service': ['errors', 'async'],
	'nodes/errors': [],
	'nodes/async': [],
	credentials: ['service/apiKey.ts'],
};

// Modules without a layer, which every module may import.
const SHARED = ['isObject.ts', 'mainConnection.ts', 'package.ts', 'units.ts'];

const layerZones = Object.entries(LAYERS).map(([folder, below]) => ({
	target: `./${folder}`,
	from: './nodes',
	except: [folder.replace('nodes/', ''), ...below, ...SHARED].map((path) => `./${path}`),
}));

// Suspension has one door.
const suspensionZones = ['./nodes/BrowserAgent/*.ts', './nodes/BrowserAgent/operations'].map(
	(target) => ({ target, from: './nodes/BrowserAgent/suspend', except: ['./index.ts'] }),
);

// The two services know the service's document and what they share, so that they can prove the
// nodes wrong: each of these folders imports only from itself and from those named after it.
const SERVICES = { api: [], 'local-service': ['api'], 'dev/sandbox': ['api'] };

const serviceZones = Object.entries(SERVICES).map(([folder, below]) => ({
	target: `./${folder}`,
	from: './',
	except: [folder, ...below, 'node_modules'].map((path) => `./${path}`),
}));

// All other rules are in .oxlintrc.json: oxlint is many times faster, also with types.
export default defineConfig(
	globalIgnores(['dist/', 'coverage/', '.cache/']),
	{
		files: ['{nodes,credentials,api,local-service,dev/sandbox}/**/*.ts'],
		languageOptions: { parser: tseslint.parser },
	},
	{
		files: ['{nodes,credentials}/**/*.ts'],
		rules: {
			// The formatter wraps code, but not comments. The limit for code is never reached.
			'max-len': ['error', { code: 10_000, comments: 100, tabWidth: 2, ignoreUrls: true }],
			// Comments can't switch off a rule here: not one of oxlint, nor of ESLint (eslint.n8n.mjs).
			'no-warning-comments': ['error', { terms: ['oxlint-disable'], location: 'anywhere' }],
		},
	},
	{
		// Patterns run over text from outside: none may take more than linear time.
		files: ['{nodes,credentials}/**/*.ts'],
		extends: [regexpPlugin.configs['flat/recommended']],
		rules: {
			'regexp/no-super-linear-move': 'error',
			'no-restricted-syntax': [
				'error',
				{
					selector:
						':matches(NewExpression, CallExpression)[callee.name="RegExp"] > :not(Literal, Identifier[name="RegExp"])',
					message:
						'A pattern that is made of data can take exponential time: compare texts instead.',
				},
			],
		},
	},
	{
		files: ['{nodes,credentials,api,local-service,dev/sandbox}/**/*.ts'],
		plugins: { 'import-x': importX },
		settings: {
			'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.json'] })],
		},
		rules: {
			'import-x/no-restricted-paths': [
				'error',
				{
					zones: [
						...layerZones,
						...suspensionZones,
						// What is published imports nothing that isn't.
						...['./nodes', './credentials'].flatMap((target) =>
							['./dev', './test', './api', './local-service'].map((from) => ({ target, from })),
						),
						...serviceZones,
					],
				},
			],
		},
	},
	sourceScan,
);
