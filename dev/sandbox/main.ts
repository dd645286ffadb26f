import { DEMO_ACCOUNTS } from './state/accounts';
import { readOptions } from './readOptions';
import { type Sandbox, startSandbox } from './startSandbox';
import { stopSignal } from './stopSignal';

/** `npm run sandbox`: runs the sandbox until it is stopped or its parent process ends. */
async function main(): Promise<void> {
	const options = readOptions(process.env);
	const sandbox = await startSandbox(options);
	console.log(toStartMessage(sandbox));

	stopSignal().addEventListener('abort', () => void sandbox.close());
}

function toStartMessage({ url, filesUrl }: Sandbox): string {
	const keys = DEMO_ACCOUNTS.map(({ key, plan, credits, forbidden }) => {
		const access = forbidden
			? 'no permission: every call is answered with 403'
			: `${plan}, ${credits ?? 'unlimited'} credits`;
		return `  ${key.padEnd(24)} ${access}`;
	});
	return [
		'The sandbox is running.',
		'',
		`Base URL    ${url}`,
		`Files       ${filesUrl}`,
		`Admin API   ${url}/_sandbox/ (lists its calls)`,
		'',
		'API keys',
		...keys,
		'',
		'Press Ctrl+C to stop.',
	].join('\n');
}

function toErrorMessage(error: unknown): string {
	const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
	if (code !== 'EADDRINUSE') return message;
	return `Port ${port} is already in use. Set SANDBOX_PORT and SANDBOX_FILES_PORT to free ports, or to 0 to pick any.`;
}

main().catch((error: unknown) => {
	console.error(toErrorMessage(error));
	process.exit(1);
});
