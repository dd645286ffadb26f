import { Api } from './Api';
import type { ApiDriver } from './ApiDriver';
import { testCredits } from './credits';
import { testDocumented } from './documented';
import { testFiles } from './files';
import { testRateLimits } from './rateLimits';
import { testRequests } from './requests';
import { testSecurity } from './security';
import { testStarts } from './starts';

/**
 * Tests that a backend answers by the document, whatever is behind it. `driver` is set up by the
 * caller before each test.
 */
export function testApi(driver: ApiDriver): void {
	const api = new Api(driver);
	testDocumented(api);
	testRequests(api);
	testStarts(api);
	testFiles(api);
	testRateLimits(api);
	testCredits(api);
	testSecurity(api);
}
