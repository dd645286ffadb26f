import type { IExecuteFunctions } from 'n8n-workflow';

import type { SuspendedJson, SuspendedState } from './state';
import type { ResumeStep } from './subWorkflow';

/** A step of a suspended wait, and what the sub-workflow has passed to it. */
interface ResumedStep {
	step: ResumeStep;
	state: SuspendedState;
}

/** Which step of a suspended wait this node is; undefined in a user's own workflow. */
export function readResumedStep(context: IExecuteFunctions): ResumedStep | undefined {
	const step = context.getNodeParameter('durableStep', 0, '');
	const { state } = (context.getInputData()[0]?.json ?? {}) as Partial<SuspendedJson>;
	const isStep = step === 'poll' || step === 'finish';
	return isStep && state !== undefined ? { step, state } : undefined;
}
