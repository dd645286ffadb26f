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
 * lines, and gives it the origin as metadata. Metadata from a caller is added, and replaces the
 * origin's of the same name. Redacts message and metadata, and leaves out metadata without a value.
 *
 * The origin is also the end of the message: by default, n8n's console shows no metadata.
 */
export function createSafeLogger(
	logger: Logger,
	redact: (text: string) => string,
	origin: LogOrigin,
): Logger {
	const safe = (text: string) => withoutMarkup(redact(text));
	return loggerTo((level, message, more) => {
		const metadata = withoutEmpty({ ...origin, ...more });
		const safeMetadata = Object.fromEntries(
			Object.entries(metadata).map(([name, value]) => {
				return [name, typeof value === 'number' ? value : safe(String(value))];
			}),
		);
		logger[level](safe(`${message}${describeOrigin(metadata)}`), safeMetadata);
	});
}

/**
 * Returns a logger that adds metadata to each line. A caller's own metadata of the same name takes
 * precedence.
 */
export function withMetadata(logger: Logger, metadata: LogMetadata): Logger {
	return loggerTo((level, message, more) => logger[level](message, { ...metadata, ...more }));
}

type WriteLine = (level: keyof Logger, message: string, metadata?: LogMetadata) => void;

function loggerTo(write: WriteLine): Logger {
	const at = (level: keyof Logger) => (message: string, metadata?: LogMetadata) =>
		write(level, message, metadata);
	return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function withoutEmpty(metadata: LogOrigin & LogMetadata): LogOrigin & LogMetadata {
	const entries = Object.entries(metadata);
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''));
}

function describeOrigin({ executionId, workflowId, workflowName, nodeName }: LogOrigin): string {
	const workflow = [workflowId, quoted(workflowName)].filter((part) => part !== undefined);
	const parts: string[] = [];
	if (executionId !== undefined) parts.push(`execution ${executionId}`);
	if (workflow.length > 0) parts.push(`workflow ${workflow.join(' ')}`);
	if (nodeName !== undefined) parts.push(`node ${quoted(nodeName)}`);
	return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function quoted(name: string | undefined): string | undefined {
	return name === undefined ? undefined : `'${name}'`;
}
