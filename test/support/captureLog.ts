import { ExecuteContext } from 'n8n-core';

import { loggerTo } from '../../dev/engine/loggerTo';

/** Collects what nodes write into n8n's log, until mocks are restored. */
export function captureLog(): string[] {
	const lines: string[] = [];
	const logger = loggerTo((line) => lines.push(line));
	jest.spyOn(ExecuteContext.prototype, 'logger', 'get').mockReturnValue(logger as never);
	return lines;
}
