import tseslint from 'typescript-eslint';

import { sourceScan } from '../../eslint.n8n.mjs';

/** n8n's scan of the source, for the descriptions that lintDescriptions.ts writes out. */
export default [
	...sourceScan,
	{ files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } },
];
