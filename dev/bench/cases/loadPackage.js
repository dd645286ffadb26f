/**
 * `node loadPackage.js <warm-up> <folder>`: prints how much CPU time n8n's own loader needs for the
 * package in this folder, in ms, after that of the warm-up. JavaScript, since tsx would have a part
 * in every file that is read.
 */
const { PackageDirectoryLoader } = require('n8n-core');

async function main([warmUp, folder]) {
	await new PackageDirectoryLoader(warmUp).loadAll();

	const before = process.cpuUsage();
	await new PackageDirectoryLoader(folder).loadAll();
	const { user, system } = process.cpuUsage(before);
	process.stdout.write(String((user + system) / 1000));
	process.exit();
}

void main(process.argv.slice(2));
