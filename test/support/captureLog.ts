import { ExecuteContext } from 'n8n-core';
import type { Logger } from 'n8n-workflow';

/** Collects what nodes write into n8n's log, from now until the end of the test's mocks. */
export function captureLog(): string[] {
	const lines: string[] = [];
	const write = (line: string) => void lines.push(line);
	const logger: Logger = { debug: write, info: write, warn: write, error: write };
	jest.spyOn(ExecuteContext.prototype, 'logger', 'get').mockReturnValue(logger as never);
	return lines;
}
