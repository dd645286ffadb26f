import { runCommandLine, say } from '../commandLine';
import { stopSignal } from '../sandbox/stopSignal';
import { installN8n } from './installN8n';
import { stopAllProcesses } from './ManagedProcess';

/** `npm run n8n:install`: puts n8n into the cache, for the commands that use a whole one. */
runCommandLine(async () => {
	stopSignal().addEventListener('abort', () => void stopAllProcesses());
	const { version, modules } = await installN8n(say);
	say(`n8n ${version} is ready in ${modules}`);
});
