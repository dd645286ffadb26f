import { stopSignal } from '../sandbox/stopSignal';
import { installN8n } from './installN8n';
import { stopAllProcesses } from './ManagedProcess';

/** `npm run n8n:install`: puts n8n into the cache, for the commands that use a whole one. */
stopSignal().addEventListener('abort', () => void stopAllProcesses());
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
