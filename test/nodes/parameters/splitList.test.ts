import { splitList } from '../../../nodes/parameters/splitList';

describe('splitList', () => {
	it.each<[string, unknown, unknown[]]>([
		['commas', 'a,b,c', ['a', 'b', 'c']],
		['spaces', 'a b  c', ['a', 'b', 'c']],
		['new lines', 'a\nb\r\nc', ['a', 'b', 'c']],
		['all separators', 'a,\n b \t,, c', ['a', 'b', 'c']],
		['separators around it', ' a, ', ['a']],
		['separators only', ' ,\n', []],
		['nothing but text', 'a', ['a']],
	])('splits text with %s', (_label, value, list) => {
		expect(splitList(value)).toEqual(list);
	});

	it.each<[string, unknown, unknown[]]>([
		['an array as it is', ['a', { job_id: 'b' }, null], ['a', { job_id: 'b' }, null]],
		['the JSON text of an array', ' ["a", {"job_id": "b"}]', ['a', { job_id: 'b' }]],
		['an object as one entry', { job_id: 'a' }, [{ job_id: 'a' }]],
		['a number as one entry', 12345, [12345]],
		['nothing for undefined', undefined, []],
		['nothing for null', null, []],
		['text that only begins like JSON', '[a b', ['[a', 'b']],
		['the JSON text of an object as text', '{"a":1}', ['{"a":1}']],
	])('returns %s', (_label, value, list) => {
		expect(splitList(value)).toEqual(list);
	});
});
