import type { LogMetadata, Logger } from 'n8n-workflow';

import { withoutMarkup } from './plainText';

/**
 * Where log lines come from. The names are those in n8n's own lines. What n8n doesn't give is unset
 * or empty: calls over MCP and polls of a trigger have no execution.
 */
export interface LogOrigin {
	executionId?: string;
	workflowId?: string;
	workflowName?: string;
	nodeName?: string;
}

/**
 * Creates a logger that writes each message as one line, so that untrusted text can't forge log
 * lines, and ends it with the origin: by default, n8n's console shows no metadata. The metadata is
 * the origin and what the caller adds, without what has no value. Redacts all of it.
 */
export function createSafeLogger(
	logger: Logger,
	redact: (text: string) => string,
	origin: LogOrigin,
): Logger {
	const safe = (text: string) => withoutMarkup(redact(text));
	const ending = describeOrigin(origin);

	const at = (level: keyof Logger) => (message: string, more?: LogMetadata) => {
		const metadata = Object.entries({ ...origin, ...more })
			.filter(([, value]) => value !== undefined && value !== '')
			.map(([name, value]) => [name, typeof value === 'number' ? value : safe(String(value))]);
		logger[level](safe(message + ending), Object.fromEntries(metadata) as LogMetadata);
	};
	return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Returns e.g. " (execution 12, workflow Kx7RbP2mQ 'Prices', node 'Browser Agent')". */
function describeOrigin({ executionId, workflowId, workflowName, nodeName }: LogOrigin): string {
	const parts = [
		label('execution', executionId),
		label('workflow', [workflowId, inQuotes(workflowName)].filter(Boolean).join(' ')),
		label('node', inQuotes(nodeName)),
	];
	const known = parts.filter((part) => part !== '').join(', ');
	return known === '' ? '' : ` (${known})`;
}

function label(name: string, value = ''): string {
	return value === '' ? '' : `${name} ${value}`;
}

function inQuotes(name = ''): string {
	return name === '' ? '' : `'${name}'`;
}
