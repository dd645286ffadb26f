import '../../dev/engine/quietEngine';

import { createAdditionalData } from '../../dev/engine/engine';
import { CredentialTestContext } from 'n8n-core';
import type {
	ICredentialTestFunction,
	INodeCredentialTestResult,
	ICredentialDataDecryptedObject,
	INodeType,
} from 'n8n-workflow';

import { testCredential as testOf } from '../../nodes/service/testCredential';
import { testRuntime } from './testRuntime';

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

/** The test that n8n finds in a node that uses the credential. */
export function credentialTestOf({ description, methods }: INodeType): ICredentialTestFunction {
	const { testedBy } = description.credentials?.find(({ name }) => name === CREDENTIAL) ?? {};
	const test = methods?.credentialTest?.[String(testedBy)];
	if (test === undefined) throw new Error('No testing function found for this credential.');
	return test;
}
