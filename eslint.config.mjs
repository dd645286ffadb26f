import js from '@eslint/js';
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
		'output',
		'structuredOutput',
		'jobs',
		'service',
		'errors',
		'async',
	],
	'nodes/BrowserAgentTrigger': [
		'runtime.ts',
		'parameters',
		'output',
		'structuredOutput',
		'jobs',
		'service',
		'errors',
		'async',
	],
	'nodes/runtime.ts': ['jobs', 'service', 'errors', 'async'],
	'nodes/parameters': ['structuredOutput', 'jobs', 'service', 'errors', 'async'],
	'nodes/output': ['structuredOutput', 'jobs', 'service', 'errors', 'async'],
	'nodes/structuredOutput': ['service', 'errors'],
	'nodes/jobs': ['service', 'errors', 'async'],
	'nodes/service': ['errors', 'async'],
	'nodes/errors': [],
	'nodes/async': [],
	credentials: ['service/addApiKey.ts'],
};

// Modules without a layer, which every module may import.
const SHARED = ['isObject.ts', 'mainConnection.ts', 'units.ts'];

const layerZones = Object.entries(LAYERS).map(([folder, below]) => ({
	target: `./${folder}`,
	from: './nodes',
	except: [folder.replace('nodes/', ''), ...below, ...SHARED].map((path) => `./${path}`),
}));

export default defineConfig(
	globalIgnores(['dist/', 'coverage/', '.cache/']),
	{
		files: ['**/*.{js,mjs,ts}'],
		extends: [js.configs.recommended],
		linterOptions: { reportUnusedDisableDirectives: 'error' },
		rules: {
			// Prettier wraps code, but not comments. The limit for code is never reached.
			'max-len': ['error', { code: 10_000, comments: 100, tabWidth: 2, ignoreUrls: true }],
		},
	},
	{
		files: ['**/*.js'],
		languageOptions: { sourceType: 'commonjs' },
	},
	{
		files: ['**/*.{js,mjs}'],
		languageOptions: { globals: { URL: 'readonly', console: 'readonly', process: 'readonly' } },
	},
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommended],
		languageOptions: {
			parserOptions: {
				project: 'tsconfig.json',
				tsconfigRootDir: import.meta.dirname,
				// No rule reads the types in comments.
				jsDocParsingMode: 'none',
			},
		},
		rules: {
			'@typescript-eslint/await-thenable': 'error',
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-floating-promises': 'error',
			// The compiler checks it.
			'@typescript-eslint/no-unused-vars': 'off',
		},
	},
	{
		// The slowest rule by far. In dev and test, no-floating-promises is enough.
		files: ['{nodes,credentials}/**/*.ts'],
		rules: { '@typescript-eslint/no-misused-promises': 'error' },
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
		files: ['{nodes,credentials,dev}/**/*.ts'],
		plugins: { 'import-x': importX },
		settings: {
			'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
			'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.json'] })],
		},
		rules: {
			// Sees circles of values; of types, only the layers are checked.
			'import-x/no-cycle': ['error', { ignoreExternal: true }],
			'import-x/no-duplicates': 'error',
			'import-x/no-restricted-paths': [
				'error',
				{
					zones: [
						...layerZones,
						// What is published imports nothing that isn't.
						...['./nodes', './credentials'].flatMap((target) =>
							['./dev', './test'].map((from) => ({ target, from })),
						),
						// The sandbox knows the service's document only, so that it can prove the nodes wrong.
						{ target: './dev/sandbox', from: './', except: ['./dev/sandbox', './node_modules'] },
					],
				},
			],
		},
	},
	sourceScan,
);
