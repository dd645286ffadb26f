import { readLiveSettings } from '../../../dev/live/settings';

const SET = { BASE_URL: 'https://service.example', API_KEY: 'live-key-0123' };

describe('The settings of test:live', () => {
	it.each([
		['https://service.example/', 'https://service.example'],
		['https://service.example/api/v1', 'https://service.example/api'],
	])('take %s as a base URL', (BASE_URL, expected) => {
		expect(readLiveSettings({ ...SET, BASE_URL }).baseUrl).toBe(expected);
	});

	it.each([
		[{ BASE_URL: '' }, /^BASE_URL is not set: /],
		[{ API_KEY: ' ' }, /^API_KEY is not set: /],
		[{ BASE_URL: 'service.example' }, /^BASE_URL must be an http or https address$/],
		[
			{ BASE_URL: 'https://ada:live-key-0123@service.example' },
			/^BASE_URL must not contain a user/,
		],
		[{ API_KEY: 'Bearer live-key-0123' }, /^API_KEY must be the key alone: /],
		[{ PAGE_URL: 'file:///etc/passwd' }, /^PAGE_URL must be an http or https address$/],
		[{ WORKFLOW_PAYLOAD: '{}' }, /^WORKFLOW_ID is not set: /],
	])('with %j are refused with one sentence, without the key', (changes, sentence) => {
		const read = () => readLiveSettings({ ...SET, ...changes });

		expect(read).toThrow(sentence);
		expect(read).not.toThrow(/live-key-0123|\n/);
	});
});
