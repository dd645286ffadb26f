import { installN8n } from './installN8n';

/** `npm run n8n:install`: puts n8n into the cache, for the commands that use a whole one. */
installN8n(say).then(
	({ version, modules }) => say(`n8n ${version} is ready in ${modules}`),
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
		process.exitCode = 1;
	},
);

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}
