import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

async function getBalance(apiKey?: string) {
	return await service.run({ resource: 'account', operation: 'getCreditBalance', apiKey });
}

describe('Account: Get Credit Balance', () => {
	it.each<[string, string, object]>([
		[
			'free',
			'sandbox-free-key',
			{ unlimited: false, credit_balance: 100, next_reset: expect.stringMatching(/^\d{4}-.*Z$/) },
		],
		[
			'pro',
			'sandbox-pro-key',
			{
				unlimited: false,
				credit_balance: 10_000,
				next_reset: expect.stringMatching(/^\d{4}-.*Z$/),
			},
		],
		[
			'enterprise',
			'sandbox-enterprise-key',
			{ unlimited: true, message: 'Credits are unlimited on this plan' },
		],
	])('returns what the %s plan has, without what is null', async (plan, apiKey, expected) => {
		const { items } = await getBalance(apiKey);

		expect(await service.requests()).toMatchObject([
			{
				method: 'GET',
				path: '/v1/get_credit_balance',
				headers: { authorization: `Bearer ${apiKey}` },
			},
		]);
		expect(items).toEqual([{ json: { plan, ...expected }, pairedItem: { item: 0 } }]);
	});

	it('passes on what the service says about credits that are used up', async () => {
		await service.admin.setCredits('sandbox-pro-key', 0);

		const { items } = await getBalance();

		expect(items[0]?.json).toMatchObject({
			credit_balance: 0,
			message: 'No credits are left until the next reset',
		});
	});

	it('asks once for each item', async () => {
		const { items } = await service.run({
			resource: 'account',
			operation: 'getCreditBalance',
			input: [{}, {}],
		});

		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('says that the key is wrong, and asks only once', async () => {
		const { error } = await getBalance('wrong-key-1234');

		expect(error).toMatchObject({
			message: 'The service did not accept the API key',
			description: expect.stringContaining("Check 'API Key'"),
			context: { itemIndex: 0 },
			httpCode: '401',
		});
		expect(await service.requests()).toHaveLength(1);
	});

	it('says that the key has no permission', async () => {
		const { error } = await getBalance('sandbox-forbidden-key');

		expect(error?.message).toBe('The API key has no permission for this');
	});
});
