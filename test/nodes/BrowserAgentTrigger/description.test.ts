import { BrowserAgentTrigger } from '../../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';
import { evaluateIn, hintsOf } from '../../support/evaluateIn';

const trigger = new BrowserAgentTrigger();
const { subtitle = '' } = trigger.description;

describe('The subtitle of the trigger', () => {
	it.each([
		[['completed'], 'Completed'],
		[['failed', 'user_taken_over', 'not_found'], 'Failed, Taken Over, Not Found'],
		['={{ "completed" }}', 'Completed'],
	])('of %j is "%s"', (triggerOn, expected) => {
		expect(evaluateIn(trigger, { triggerOn }, subtitle)).toBe(expected);
	});
});

describe('The hint of the trigger', () => {
	it.each([
		['no job IDs', { jobSource: 'ids', jobIds: '' }],
		['blank job IDs', { jobSource: 'ids', jobIds: ' \n' }],
		['an expression that gives none', { jobSource: 'ids', jobIds: '={{ [] }}' }],
	])('warns about %s', (_label, parameters) => {
		expect(hintsOf(trigger, parameters, 'beforeExecution')).toEqual([
			expect.stringContaining("'Job IDs' is empty"),
		]);
	});

	it.each([
		['job IDs', { jobSource: 'ids', jobIds: 'job_1' }],
		['an expression that gives some', { jobSource: 'ids', jobIds: '={{ ["job_1"] }}' }],
		['a list from a URL', { jobSource: 'url', jobIds: '', jobListUrl: 'https://a.example' }],
	])('is not shown with %s', (_label, parameters) => {
		expect(hintsOf(trigger, parameters, 'beforeExecution')).toEqual([]);
	});
});
