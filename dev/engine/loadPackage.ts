import './environment';

import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialType, INodeType } from 'n8n-workflow';

interface LoadedPackage {
	agent: INodeType;
	trigger: INodeType;
	credential: ICredentialType;
}

/** Loads the built package in this folder as n8n does. Throws when a class can't be loaded. */
export async function loadPackage(folder: string): Promise<LoadedPackage> {
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	return {
		agent: loader.getNode('browserAgent').type as INodeType,
		trigger: loader.getNode('browserAgentTrigger').type as INodeType,
		credential: loader.getCredential('browserAgentApi').type,
	};
}
