const path = require('node:path');
const { performance } = require('node:perf_hooks');

// A process as n8n has it when it comes to a package: n8n-core is loaded, and its loader has been
// used before. No TypeScript here, which would have a part in every file that is read.
process.once('disconnect', () => process.exit());
process.once('message', async ({ folder }) => {
	try {
		process.send({ result: await load(folder) });
	} catch (error) {
		process.send({ error: String(error.stack) });
	}
});

async function load(folder) {
	const { PackageDirectoryLoader } = require('n8n-core');
	await new PackageDirectoryLoader(path.join(module.path, 'emptyPackage')).loadAll();

	const loader = new PackageDirectoryLoader(folder);
	const cpu = process.cpuUsage();
	const began = performance.now();
	await loader.loadAll();
	const wallMs = performance.now() - began;
	const { user, system } = process.cpuUsage(cpu);
	return { wallMs, cpuMs: (user + system) / 1000 };
}
