// What the benchmarks and the fuzzer use of the package, bundled as the package itself is.
export { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
export { BrowserAgent } from '../../nodes/BrowserAgent/BrowserAgent.node';
export { execute } from '../../nodes/BrowserAgent/execute';
export { BrowserAgentTrigger } from '../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';
export { poll } from '../../nodes/BrowserAgentTrigger/poll';
export { createRuntime } from '../../nodes/runtime';
