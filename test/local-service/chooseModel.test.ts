import { chooseModel } from '../../local-service/chooseModel';
import type { ModelChoice } from '../../local-service/settings';

const DEFAULT: ModelChoice = { provider: 'openai', name: 'gpt-5-mini', label: 'openai/gpt-5-mini' };
const LOCAL: ModelChoice = {
	provider: 'local',
	name: 'maker/qwen:8b',
	label: 'local/maker/qwen:8b',
};

describe('the model of a job', () => {
	it.each([
		[undefined, DEFAULT],
		['openai/gpt-5-mini', DEFAULT],
		['gpt-5-mini', DEFAULT],
		['local/maker/qwen:8b', LOCAL],
		['maker/qwen:8b', LOCAL],
	])('for %s is one of the settings', (requested, choice) => {
		expect(chooseModel([DEFAULT, LOCAL], requested)).toEqual({ choice });
	});

	it.each(['o3', 'vendora-sonnet-4-20250514', 'vendorb/vendorb-3-flash-preview'])(
		"for the document's %s is the default, and says for what it stands",
		(requested) => {
			expect(chooseModel([DEFAULT, LOCAL], requested)).toEqual({
				choice: DEFAULT,
				requestedModel: requested,
			});
		},
	);

	it("is the settings' own where its name is one of the document's, too", () => {
		const o3: ModelChoice = { provider: 'openai', name: 'o3', label: 'openai/o3' };
		expect(chooseModel([DEFAULT, o3], 'o3')).toEqual({ choice: o3 });
	});

	it.each(['gpt-4', 'qwen:8b', 'local/', '', 'OPENAI/gpt-5-mini'])(
		'for %j is refused',
		(requested) => {
			expect(() => chooseModel([DEFAULT, LOCAL], requested)).toThrow(
				expect.objectContaining({
					status: 400,
					message:
						`There is no model '${requested}' here: choose Service Default, or Custom with one of ` +
						'openai/gpt-5-mini, local/maker/qwen:8b',
				}),
			);
		},
	);
});
