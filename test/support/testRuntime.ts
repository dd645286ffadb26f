import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { createClock, type Clock } from '../../nodes/async/clock';
import { execute } from '../../nodes/BrowserAgent/execute';
import { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
import { BrowserAgentTrigger } from '../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';
import { poll } from '../../nodes/BrowserAgentTrigger/poll';
import { createRuntime, type Runtime } from '../../nodes/runtime';
import { SERVICE_LIMITS, type ServiceLimits } from '../../nodes/service/documentedValues';

let clock: Clock = createClock();
let limits: ServiceLimits = SERVICE_LIMITS;
let runtime: Runtime = createRuntime({ clock, limits });

/** The runtime of the nodes under test. */
export function testRuntime(): Runtime {
	return runtime;
}

/** Gives the nodes under test a new runtime with this clock; without one, real time. */
export function setClock(other: Clock = createClock()): void {
	clock = other;
	runtime = createRuntime({ clock, limits });
}

/**
 * Gives the nodes under test a new runtime with these limits; without them, the documented ones.
 */
export function setServiceLimits(other: ServiceLimits = SERVICE_LIMITS): void {
	limits = other;
	runtime = createRuntime({ clock, limits });
}

/** The clock of the nodes under test. */
export function currentClock(): Clock {
	return clock;
}

/** The action node on the runtime of the test. */
export class TestAgent extends BrowserAgent {
	override async execute(this: IExecuteFunctions) {
		return await execute(this, testRuntime());
	}
}

/** The trigger node on the runtime of the test. */
export class TestTrigger extends BrowserAgentTrigger {
	override async poll(this: IPollFunctions) {
		return await poll(this, testRuntime());
	}
}
