// n8n before it could keep an execution waiting for a sub-workflow.
jest.mock('n8n-workflow', () => {
	const { WAIT_FOR_SUB_EXECUTION: _newer, ...older } = jest.requireActual('n8n-workflow');
	return { ...older, __esModule: true };
});
