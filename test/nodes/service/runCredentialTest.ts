import '../../../dev/engine/quietEngine';

import { createAdditionalData } from '../../../dev/engine/engine';
import { CredentialTestContext } from 'n8n-core';
import type {
	ICredentialTestFunction,
	INodeCredentialTestResult,
	ICredentialDataDecryptedObject,
	INodeType,
} from 'n8n-workflow';

import { testCredential as testOf } from '../../../nodes/service/testCredential';
import { testRuntime } from '../../support/testRuntime';

const CREDENTIAL = 'browserAgentApi';

/** Tests a filled-in credential in the context that n8n gives a credential test. */
export async function testCredential(
	data: ICredentialDataDecryptedObject,
	test: ICredentialTestFunction = async function (credential) {
		return await testOf(this, credential, testRuntime());
	},
): Promise<INodeCredentialTestResult> {
	const context = new CredentialTestContext(
		createAdditionalData({ nodeTypes: {}, credentials: {} }),
	);
	return await test.call(context, {
		id: 'credential-1',
		name: 'Browser Agent API',
		type: CREDENTIAL,
		data,
	});
}

/**
 * The credential test, with this fraction of the timeout that it gives n8n's HTTP helper, which
 * measures real time.
 */
export function testWithTimeout(fraction: number): ICredentialTestFunction {
	return async function (credential) {
		const { request } = this.helpers;
		const scaledRequest: typeof request = async (options) => {
			const { timeout, ...others } = options as { timeout: number };
			return await request({ ...others, timeout: timeout * fraction });
		};
		const context = { ...this, helpers: { ...this.helpers, request: scaledRequest } };
		return await testOf(context, credential, testRuntime());
	};
}

/** The test that n8n finds in a node that uses the credential. */
export function credentialTestOf({ description, methods }: INodeType): ICredentialTestFunction {
	const { testedBy } = description.credentials?.find(({ name }) => name === CREDENTIAL) ?? {};
	const test = methods?.credentialTest?.[String(testedBy)];
	if (test === undefined) throw new Error('No testing function found for this credential.');
	return test;
}
