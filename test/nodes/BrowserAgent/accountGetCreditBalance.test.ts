import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

async function getBalance(apiKey?: string) {
	return await service.run({ resource: 'account', operation: 'getCreditBalance', apiKey });
}

const A_DATE = expect.stringMatching(/^\d{4}-.*Z$/) as string;

describe('Account: Get Credit Balance', () => {
	it('sends one signed request', async () => {
		await getBalance();

		expect(await service.requests()).toMatchObject([
			{
				method: 'GET',
				path: '/v1/get_credit_balance',
				headers: { authorization: 'Bearer sandbox-pro-key' },
			},
		]);
	});

	it.each<[string, object]>([
		['free', { unlimited: false, credit_balance: 100, next_reset: A_DATE }],
		['pro', { unlimited: false, credit_balance: 10_000, next_reset: A_DATE }],
		['enterprise', { unlimited: true, message: 'Credits are unlimited on this plan' }],
	])('returns the balance of the %s plan without fields that are null', async (plan, expected) => {
		const { items } = await getBalance(`sandbox-${plan}-key`);

		expect(items).toEqual([{ json: { plan, ...expected }, pairedItem: { item: 0 } }]);
	});

	it('returns the message of the service when no credits are left', async () => {
		await service.admin.setCredits('sandbox-pro-key', 0);

		const { items } = await getBalance();

		expect(items[0]?.json).toMatchObject({
			credit_balance: 0,
			message: 'No credits are left until the next reset',
		});
	});

	it('returns one item for each input item', async () => {
		const { items } = await service.run({
			resource: 'account',
			operation: 'getCreditBalance',
			input: [{}, {}],
		});

		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('fails after one request when the key is wrong', async () => {
		const { error } = await getBalance('wrong-key-1234');

		expect(error).toMatchObject({
			message: 'The service did not accept the API key',
			description: expect.stringContaining("Check 'API Key'"),
			context: { itemIndex: 0 },
			httpCode: '401',
		});
		expect(await service.requests()).toHaveLength(1);
	});

	it('fails when the key has no permission', async () => {
		const { error } = await getBalance('sandbox-forbidden-key');

		expect(error?.message).toBe('The API key has no permission for this');
	});
});
