import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../nodes/errors/ServiceError';
import { requireCredits } from '../../../nodes/jobs/requireCredits';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';

const { signal } = new AbortController();

/** Asks for 100 credits, or for as many as given, of an account with this balance. */
async function requireOf(
	answer: IDataObject | Error,
	minimumCredits: number | undefined = 100,
): Promise<jest.Mock> {
	const getCreditBalance = jest.fn(async () => {
		if (answer instanceof Error) throw answer;
		return answer;
	});
	const client = { getCreditBalance } as unknown as ServiceClient;
	await requireCredits(client, minimumCredits, signal);
	return getCreditBalance;
}

describe('requireCredits', () => {
	it.each<[string, IDataObject]>([
		['more credits than the minimum', { credit_balance: 101 }],
		['just the minimum', { credit_balance: 100 }],
		['unlimited credits', { unlimited: true, credit_balance: null }],
		['unlimited credits beside a balance', { unlimited: true, credit_balance: 0 }],
	])('is satisfied with %s', async (_label, balance) => {
		const getCreditBalance = await requireOf(balance);

		expect(getCreditBalance.mock.calls).toEqual([[{ signal, retry: true }]]);
	});

	it('sends nothing without a minimum', async () => {
		const getCreditBalance = jest.fn();

		await requireCredits({ getCreditBalance } as unknown as ServiceClient, undefined, signal);

		expect(getCreditBalance).not.toHaveBeenCalled();
	});

	it('asks also when the minimum is 0', async () => {
		expect(await requireOf({ credit_balance: 0 }, 0)).toHaveBeenCalledTimes(1);
	});

	it('throws when the account has fewer credits than the minimum', async () => {
		await expect(requireOf({ credit_balance: 99 })).rejects.toMatchObject({
			message:
				"The account has 99 credits, fewer than 'Minimum Credits' (100), so nothing was started",
			details: {
				description: "Add credits in the service's web platform, or lower 'Minimum Credits'.",
			},
		});
	});

	it.each<[string, IDataObject]>([
		['there is no balance', {}],
		['the balance is null', { credit_balance: null }],
		['the balance is text', { credit_balance: '500' }],
		['unlimited is text', { unlimited: 'true' }],
	])('throws when %s', async (_label, balance) => {
		await expect(requireOf(balance)).rejects.toMatchObject({
			message: "The account's credits could not be read, so nothing was started",
			details: { description: "Try again later, or remove the option 'Minimum Credits'." },
		});
	});

	it('throws when the balance cannot be read, and says why', async () => {
		const error = new ServiceError({ kind: 'serverError', statusCode: 503 });

		await expect(requireOf(error)).rejects.toMatchObject({
			message:
				"The account's credits could not be read, so nothing was started. The service failed to process the request (HTTP 503)",
			details: {
				description: "The problem is on the service's side. Try again later.",
				statusCode: 503,
				failure: { cause: 'temporarily-unavailable' },
			},
		});
	});

	it.each<[string, Error]>([
		['a Stop', new ServiceError({ kind: 'aborted' })],
		['an error that is not of the service', new Error('no memory')],
	])('passes on %s', async (_label, error) => {
		await expect(requireOf(error)).rejects.toBe(error);
	});
});
