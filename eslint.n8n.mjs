import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

/** Where the two plugins want opposite things, n8n's own tools follow the newer one. */
const CONTRADICTORY_RULES = [
	'cred-class-field-documentation-url-miscased',
	'cred-class-field-type-options-password-missing',
	'node-class-description-inputs-wrong-regular-node',
	'node-class-description-outputs-wrong',
	'node-param-type-options-max-value-present',
];

const plugins = {
	...n8nCommunityNodesPlugin.configs.recommended.plugins,
	'n8n-nodes-base': nodesBase,
};
// Comments can't switch a rule off.
const everyFile = {
	plugins,
	rules: { ...n8nCommunityNodesPlugin.configs.recommended.rules, 'no-console': 'error' },
	linterOptions: { noInlineConfig: true },
};
const contradictoryRulesOff = Object.fromEntries(
	CONTRADICTORY_RULES.map((rule) => [`n8n-nodes-base/${rule}`, 'off']),
);

// Both plugins look for the syntax tree that the TypeScript parser makes of a JSON file.
const packageJson = { files: ['package.json'], rules: nodesBase.configs.community.rules };
const asTypeScript = { languageOptions: { parser: tseslint.parser } };

/** n8n's scan of the source a package was published from. */
export const sourceScan = [
	{ files: ['package.json', '{nodes,credentials}/**/*.{js,ts,json}'], ...everyFile },
	packageJson,
	{
		files: ['credentials/**/*.ts'],
		rules: { ...nodesBase.configs.credentials.rules, ...contradictoryRulesOff },
	},
	{
		files: ['nodes/**/*.ts'],
		rules: { ...nodesBase.configs.nodes.rules, ...contradictoryRulesOff },
	},
	{ files: ['package.json', '{nodes,credentials}/**/*.json'], ...asTypeScript },
];

/** n8n's scan of a published package, without the rules that can't read compiled classes. */
export default [
	{ files: ['**/*.js', 'package.json'], ...everyFile },
	packageJson,
	{ files: ['package.json'], ...asTypeScript },
];
