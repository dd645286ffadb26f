import { TRIGGER_EVENTS, triggerOnField } from '../../../nodes/parameters/triggerOn';

describe("'Trigger On'", () => {
	it.each<[string, unknown, string[]]>([
		['a list', ['failed', 'completed'], ['completed', 'failed']],
		['all events', [...TRIGGER_EVENTS], [...TRIGGER_EVENTS]],
		['one event as text', 'failed', ['failed']],
		['text with commas', 'completed,failed', ['completed', 'failed']],
		['text with commas and spaces', ' completed , not_found ', ['completed', 'not_found']],
		['the JSON text of a list', '["paused"]', ['paused']],
		['an event twice', ['paused', 'paused'], ['paused']],
		['an event beside what it does not know', ['done', 'canceled'], ['canceled']],
	])('reads %s', (_label, value, events) => {
		expect(triggerOnField.read(value)).toEqual(events);
	});

	it.each<[string, unknown]>([
		['an empty list', []],
		['empty text', ''],
		['null', null],
		['undefined', undefined],
		['what it does not know', ['done']],
		['true', true],
	])('rejects %s', (_label, value) => {
		expect(() => triggerOnField.read(value)).toThrow(
			expect.objectContaining({
				message: "'Trigger On' is empty",
				details: {
					description: 'Choose at least one status.',
					failure: { cause: 'configuration-invalid' },
				},
			}),
		);
	});

	it('offers every event', () => {
		const values = triggerOnField.property.options?.map(
			(option) => 'value' in option && option.value,
		);

		expect(values?.sort()).toEqual([...TRIGGER_EVENTS].sort());
	});
});
