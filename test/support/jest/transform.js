const { transformSync } = require('esbuild');

/** Turns TypeScript into JavaScript, without checking types: `npm run typecheck` does that. */
module.exports = {
	process(source, sourcefile, { transformerConfig: { options } }) {
		return transformSync(source, { ...options, sourcefile });
	},
};
