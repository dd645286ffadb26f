import { triggerOnField } from '../../../nodes/parameters/triggerOn';

describe("'Trigger On Status'", () => {
	it.each<[string, unknown, string[]]>([
		['a list', ['failed', 'completed'], ['completed', 'failed']],
		['text with commas and spaces', ' completed , not_found ', ['completed', 'not_found']],
		['the JSON text of a list', '["paused"]', ['paused']],
		['an event beside gaps', ['', 'canceled', null], ['canceled']],
		['another case and space', [' Completed\n', 'NOT_FOUND'], ['completed', 'not_found']],
		['the other spelling of canceled', ['cancelled'], ['canceled']],
	])('reads %s', (_label, value, events) => {
		expect(triggerOnField.read(value)).toEqual(events);
	});

	it.each<[string, unknown]>([
		['undefined', undefined],
		['gaps', ['', null]],
	])('rejects %s', (_label, value) => {
		expect(() => triggerOnField.read(value)).toThrow(
			expect.objectContaining({
				message: "'Trigger On Status' is empty",
				details: {
					description: 'Choose at least one status.',
					failure: { cause: 'configuration-invalid' },
				},
			}),
		);
	});

	it.each<[string, unknown, string]>([
		['an unknown entry', ['done'], 'done'],
		['true', true, 'true'],
		['markup', ['<b>'], '‹b›'],
	])('rejects %s, and names the choices', (_label, value, shown) => {
		expect(() => triggerOnField.read(value)).toThrow(
			expect.objectContaining({
				message: `'Trigger On Status' has no option '${shown}'`,
				details: {
					description:
						'Choose one or more of: canceled, completed, failed, not_found, paused, user_taken_over.',
					failure: { cause: 'configuration-invalid' },
				},
			}),
		);
	});
});
