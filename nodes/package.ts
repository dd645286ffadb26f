/** The package's name, with which the types of its nodes begin. The same as in package.json. */
export const PACKAGE_NAME = 'n8n-nodes-browser-agent';

/** Where the package's sources and docs are. The same as in package.json. */
export const REPOSITORY_URL =
	'https://github.com/browser-agent-contributors/n8n-nodes-browser-agent';
