import { Shop } from '../../../dev/localService/Shop';

export { BIG_FILE_BYTES, ITEMS, PASSWORD, PDF } from '../../../dev/localService/Shop';

/** Starts the shop for the tests of a file. Each finds it as new. */
export function useShop(): Shop {
	const shop = new Shop();
	beforeAll(async () => await shop.listen());
	beforeEach(() => shop.reset());
	afterAll(async () => await shop.close());
	return shop;
}
