import { mapPayload } from '../../../local-service/agent/mapPayload';
import { createModel } from '../../../local-service/agent/model';
import { serviceSettings } from '../support/serviceSettings';
import { useModelServer } from '../support/useModelServer';

const model = useModelServer();
const INPUTS = [
	{ name: 'city', description: 'Where to look', required: true },
	{ name: 'date' },
	{ name: 'guests' },
];

async function map(text: string): Promise<Record<string, string>> {
	const client = createModel(model.choice, serviceSettings(model.settings()));
	return await mapPayload(client, INPUTS, text, new AbortController().signal);
}

describe('Free text for a saved workflow', () => {
	it("is mapped to the inputs' names by the model, which is shown both", async () => {
		const values = [
			{ name: 'city', value: 'Vienna' },
			{ name: 'date', value: { from: 'May 2' } },
			{ name: 'guests', value: 2 },
		];
		model.does([{ call: 'fill_in', input: { values } }]);

		expect(await map('A hotel in Vienna for two')).toEqual({
			city: 'Vienna',
			date: '{"from":"May 2"}',
			guests: '2',
		});
		expect(model.arrivals[0]?.body).toContain('city (required): Where to look');
		expect(model.arrivals[0]?.body).toContain('A hotel in Vienna for two');
	});

	it('sets no other names, and none without a value', async () => {
		const values = [
			{ name: 'city', value: 'Vienna' },
			{ name: 'directive', value: 'Buy it' },
			{ name: 'date', value: '' },
			{ name: 'guests', value: null },
		];
		model.does([{ call: 'fill_in', input: { values } }]);

		expect(await map('Vienna')).toEqual({ city: 'Vienna' });
	});

	it('fails when the model does not map it, and says what helps', async () => {
		model.does(() => ({ text: 'The city is Vienna.' }));

		await expect(map('Vienna')).rejects.toMatchObject({
			name: 'JobFailure',
			message:
				"The model local/scripted could not map the payload to the workflow's inputs: send them as JSON",
		});
		expect(model.arrivals).toHaveLength(3);
	});

	it('fails as the model fails', async () => {
		model.does([{ status: 401, body: {} }]);

		await expect(map('Vienna')).rejects.toThrow('refused the API key (401)');
	});
});
