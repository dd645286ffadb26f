/** The smallest node there can be. */
exports.Empty = class {
	description = {
		displayName: 'Empty',
		name: 'empty',
		group: ['transform'],
		version: 1,
		description: 'Does nothing',
		defaults: { name: 'Empty' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};
};
