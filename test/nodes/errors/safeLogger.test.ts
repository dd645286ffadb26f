import { createSafeLogger, type LogOrigin } from '../../../nodes/errors/safeLogger';
import { captureLogger } from '../../support/captureLogger';

const FORGED = 'key-1\r\n2026-01-01 | info | all is well \u202e<b>';
const SAFE = '[hidden] 2026-01-01 | info | all is well ‹b›';

function createLog(origin: LogOrigin = {}) {
	const { logger, lines } = captureLogger();
	const redact = (text: string) => text.replaceAll('key-1', '[hidden]');
	return { lines, log: createSafeLogger(logger, redact, origin) };
}

describe('The log', () => {
	it.each(['debug', 'info', 'warn', 'error'] as const)(
		'has one line without secrets for each text at level %s, and so has its metadata',
		(level) => {
			const { log, lines } = createLog();

			log[level](FORGED, { jobId: FORGED });

			expect(lines).toEqual([`${level}: ${SAFE} {"jobId":"${SAFE}"}`]);
		},
	);

	it('has no secret of the names of the workflow and the node', () => {
		const { log, lines } = createLog({ workflowName: 'Uses key-1', nodeName: 'key-1' });

		log.info('Hello');

		expect(lines).toEqual([
			`info: Hello (workflow 'Uses [hidden]', node '[hidden]') {"workflowName":"Uses [hidden]","nodeName":"[hidden]"}`,
		]);
	});

	it.each<[string, LogOrigin, string]>([
		[
			'no execution',
			{ executionId: '', workflowId: 'ab', nodeName: 'Agent' },
			`Hello (workflow ab, node 'Agent') {"workflowId":"ab","nodeName":"Agent"}`,
		],
		['nothing', { executionId: undefined, workflowId: '', workflowName: '' }, 'Hello {}'],
	])('names where a line comes from, where n8n gives %s', (_label, origin, line) => {
		const { log, lines } = createLog(origin);

		log.info('Hello');

		expect(lines).toEqual([`info: ${line}`]);
	});
});
