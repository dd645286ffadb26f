import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { sourceScan } from './dev/build/n8nScan.mjs';

export default defineConfig(
	globalIgnores(['dist/', 'coverage/', '.cache/']),
	{
		files: ['**/*.{js,mjs,ts}'],
		extends: [js.configs.recommended],
		linterOptions: { reportUnusedDisableDirectives: 'error' },
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
			parserOptions: { project: 'tsconfig.all.json', tsconfigRootDir: import.meta.dirname },
		},
		rules: {
			'@typescript-eslint/await-thenable': 'error',
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-floating-promises': 'error',
			'@typescript-eslint/no-misused-promises': 'error',
			// As the TypeScript compiler has it: `_name` is a parameter nobody needs, and a name beside
			// `...rest` may stand there only to be left out of it.
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', ignoreRestSiblings: true },
			],
		},
	},
	sourceScan,
);
