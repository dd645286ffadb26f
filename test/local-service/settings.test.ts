import path from 'node:path';

import { readSettings } from '../../local-service/settings';
import { SettingError } from '../../local-service/SettingError';

const LOCAL = { MODELS: 'local/qwen3', MODEL_BASE_URL: 'http://127.0.0.1:11434/v1' };

describe('settings of the local service', () => {
	it('have the documented defaults', () => {
		expect(readSettings({ MODELS: 'openai/gpt-5-mini', OPENAI_API_KEY: 'sk-1' })).toEqual({
			models: [{ provider: 'openai', name: 'gpt-5-mini', label: 'openai/gpt-5-mini' }],
			modelKeys: { openai: 'sk-1' },
			modelUrls: { openai: 'https://api.openai.com/v1' },
			modelTimeoutMinutes: 5,
			modelMaxCharacters: 60_000,
			agentMaxSteps: 100,
			host: '127.0.0.1',
			port: 3500,
			url: undefined,
			ownHosts: [],
			apiKey: undefined,
			dataFolder: path.resolve('browser-agent-data'),
			maxJobs: 2,
			credits: undefined,
			maxGb: 10,
			chromiumBin: undefined,
			chromiumSandbox: true,
			allowedHosts: [],
			onlyHosts: undefined,
			maxDownloadMb: 200,
			maxMemoryMb: 3000,
			secrets: [],
		});
	});

	it('end a provider at the first slash', () => {
		const { models } = readSettings({ ...LOCAL, MODELS: 'local/maker/model:8b, local/b' });
		expect(models).toEqual([
			{ provider: 'local', name: 'maker/model:8b', label: 'local/maker/model:8b' },
			{ provider: 'local', name: 'b', label: 'local/b' },
		]);
	});

	it('give each provider its own key and address', () => {
		const settings = readSettings({
			MODELS: 'anthropic/a,google/g,local/l',
			ANTHROPIC_API_KEY: 'ant',
			GOOGLE_GENERATIVE_AI_API_KEY: 'goo',
			MODEL_API_KEY: 'loc',
			MODEL_BASE_URL: 'https://models.example/v1/',
			OPENAI_API_KEY: 'unused',
		});
		expect(settings.modelKeys).toEqual({ anthropic: 'ant', google: 'goo', local: 'loc' });
		expect(settings.modelUrls.local).toBe('https://models.example/v1');
	});

	it.each([
		[
			'AGENT_ALLOWED_HOSTS',
			'Intranet, wiki:8080,[::1]:3000',
			'allowedHosts',
			['intranet', 'wiki:8080', '[::1]:3000'],
		],
		['AGENT_ONLY_HOSTS', 'example.com', 'onlyHosts', ['example.com']],
		['SERVICE_OWN_HOSTS', 'service, Agent.example', 'ownHosts', ['service', 'agent.example']],
		['SERVICE_URL', 'https://agent.example/', 'url', 'https://agent.example'],
		['SERVICE_PORT', '0', 'port', 0],
		['SERVICE_CREDITS', '0', 'credits', 0],
		['SERVICE_CREDITS', 'unlimited', 'credits', undefined],
		['SERVICE_MAX_GB', '.5', 'maxGb', 0.5],
		['MODEL_TIMEOUT_MINUTES', '0.1', 'modelTimeoutMinutes', 0.1],
		['CHROMIUM_SANDBOX', 'off', 'chromiumSandbox', false],
		['SERVICE_HOST', '  ', 'host', '127.0.0.1'],
	])('read %s=%s', (name, text, field, value) => {
		expect(readSettings({ ...LOCAL, [name]: text })).toHaveProperty(field, value);
	});

	it.each([
		[{ MODELS: '' }, 'MODELS is not set'],
		[{ MODELS: ' , ' }, 'MODELS has no model'],
		[{ MODELS: 'qwen3' }, "MODELS has 'qwen3'"],
		[{ MODELS: 'local/' }, "MODELS has 'local/'"],
		[{ MODELS: 'other/model' }, "MODELS has 'other/model'"],
		[{ MODELS: 'toString/x' }, "MODELS has 'toString/x'"],
		[{ MODELS: 'local/a,local/a' }, "MODELS names 'local/a' twice"],
		[{ MODELS: 'openai/gpt-5-mini' }, 'OPENAI_API_KEY is not set'],
		[{ MODELS: 'anthropic/a' }, 'ANTHROPIC_API_KEY is not set'],
		[{ MODELS: 'google/a' }, 'GOOGLE_GENERATIVE_AI_API_KEY is not set'],
		[{ MODELS: 'openai/a', OPENAI_API_KEY: 'sk 1' }, 'OPENAI_API_KEY must not contain spaces'],
		[{ MODEL_BASE_URL: '' }, 'MODEL_BASE_URL is not set'],
		[{ MODEL_BASE_URL: 'localhost:11434' }, 'MODEL_BASE_URL must be an http or https address'],
		[{ MODEL_BASE_URL: 'http://user:pass@host/v1' }, 'MODEL_BASE_URL must not contain a user name'],
		[{ MODEL_BASE_URL: 'http://host/v1?key=1' }, "MODEL_BASE_URL must not contain '?'"],
		[{ MODEL_TIMEOUT_MINUTES: '0' }, 'MODEL_TIMEOUT_MINUTES must be a number above 0'],
		[{ MODEL_TIMEOUT_MINUTES: 'five' }, 'MODEL_TIMEOUT_MINUTES must be'],
		[{ MODEL_MAX_CHARACTERS: '12' }, 'MODEL_MAX_CHARACTERS must be'],
		[{ AGENT_MAX_STEPS: '0' }, 'AGENT_MAX_STEPS must be a whole number, at least 1'],
		[{ AGENT_MAX_STEPS: '1e3' }, 'AGENT_MAX_STEPS must be'],
		[{ SERVICE_PORT: '65536' }, 'SERVICE_PORT must be a whole number, from 0 to 65535'],
		[{ SERVICE_PORT: '-1' }, 'SERVICE_PORT must be'],
		[{ SERVICE_URL: 'agent.example' }, 'SERVICE_URL must be an http or https address'],
		[{ SERVICE_URL: 'https://a.example/agent' }, 'SERVICE_URL must be an address without a path'],
		[{ SERVICE_OWN_HOSTS: 'http://service' }, 'SERVICE_OWN_HOSTS must list hosts'],
		[{ SERVICE_OWN_HOSTS: 'service:3500' }, 'SERVICE_OWN_HOSTS must list hosts'],
		[{ SERVICE_API_KEY: 'two words' }, 'SERVICE_API_KEY must not contain spaces'],
		[{ SERVICE_API_KEY: 'schlüssel' }, 'SERVICE_API_KEY must not contain'],
		[{ SERVICE_MAX_JOBS: '0' }, 'SERVICE_MAX_JOBS must be'],
		[{ SERVICE_CREDITS: '1.5' }, 'SERVICE_CREDITS must be'],
		[{ SERVICE_MAX_GB: '0' }, 'SERVICE_MAX_GB must be'],
		[{ SERVICE_MAX_GB: '10 GB' }, 'SERVICE_MAX_GB must be'],
		[{ CHROMIUM_SANDBOX: 'false' }, "CHROMIUM_SANDBOX must be 'on' or 'off'"],
		[{ AGENT_ALLOWED_HOSTS: 'http://wiki' }, 'AGENT_ALLOWED_HOSTS must list hosts'],
		[{ AGENT_ALLOWED_HOSTS: 'wiki:99999' }, 'AGENT_ALLOWED_HOSTS must list hosts'],
		[{ AGENT_ONLY_HOSTS: '*.example.com' }, 'AGENT_ONLY_HOSTS must list hosts'],
		[{ AGENT_ONLY_HOSTS: 'example.com:443' }, 'AGENT_ONLY_HOSTS must list hosts'],
		[{ AGENT_MAX_DOWNLOAD_MB: '0' }, 'AGENT_MAX_DOWNLOAD_MB must be'],
	])('refuse %j with a sentence that names the setting', (env, sentence) => {
		const read = () => readSettings({ ...LOCAL, ...env });
		expect(read).toThrow(SettingError);
		expect(read).toThrow(sentence);
	});
});
