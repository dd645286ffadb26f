import { checkLocalModels } from '../../local-service/checkLocalModels';
import type { ModelChoice } from '../../local-service/settings';
import { useServer } from '../support/useServer';

const QWEN: ModelChoice = { provider: 'local', name: 'qwen3', label: 'local/qwen3' };
const OPENAI: ModelChoice = { provider: 'openai', name: 'gpt', label: 'openai/gpt' };

describe('the check of local models', () => {
	const server = useServer();
	const check = async (local = `${server.url}/v1`, models = [QWEN]) =>
		await checkLocalModels({ models, modelUrls: { local }, modelKeys: { local: 'key' } });

	it.each([
		['the model is listed', { data: [{ id: 'qwen3' }] }],
		['Ollama lists it with its tag', { data: [{ id: 'qwen3:latest' }] }],
		['there is another form of list', { models: [] }],
		['there is no list', 'not found'],
	])('says nothing when %s', async (_case, body) => {
		server.answers({ body });
		expect(await check()).toBeUndefined();
		expect(server.arrivals).toMatchObject([
			{ path: '/v1/models', headers: { authorization: 'Bearer key' } },
		]);
	});

	it('warns of a model that the server lacks', async () => {
		server.answers({ body: { data: [{ id: 'llama3' }, { id: 'qwen3:8b' }] } });
		expect(await check()).toBe(
			"The server at MODEL_BASE_URL has no model 'qwen3'; it lists: llama3, qwen3:8b",
		);
	});

	it('warns of a key that is refused', async () => {
		server.answers({ statusCode: 401 });
		expect(await check()).toBe('The server at MODEL_BASE_URL refuses MODEL_API_KEY (401)');
	});

	it('warns when nothing answers', async () => {
		expect(await check('http://127.0.0.1:1/v1')).toContain('Nothing answers at MODEL_BASE_URL');
	});

	it("doesn't ask without a local model", async () => {
		expect(await check(undefined, [OPENAI])).toBeUndefined();
		expect(server.arrivals).toEqual([]);
	});
});
