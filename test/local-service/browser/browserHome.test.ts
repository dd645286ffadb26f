import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
	createHome,
	removeHome,
	removeLeftHomes,
} from '../../../local-service/browser/browserHome';
import { useTemporaryFolder } from '../support/temporaryData';

const temporaryFolder = useTemporaryFolder();

describe('The folder of a browser', () => {
	it("is its owner's only, and one for each browser", async () => {
		const dataFolder = temporaryFolder();
		const homes = await Promise.all([createHome({ dataFolder }), createHome({ dataFolder })]);

		expect(new Set(homes).size).toBe(2);
		for (const home of homes) expect(statSync(home).mode & 0o777).toBe(0o700);
	});

	it('is removed with what is in it, also twice', async () => {
		const dataFolder = temporaryFolder();
		const home = await createHome({ dataFolder });
		writeFileSync(path.join(home, 'file'), 'text');
		await removeHome(home);
		await removeHome(home);

		expect(readdirSync(path.join(dataFolder, 'tmp'))).toEqual([]);
	});

	it('is removed later if a process has written into it again, but not while it is used', async () => {
		const dataFolder = temporaryFolder();
		const used = await createHome({ dataFolder });
		const ended = await createHome({ dataFolder });
		await removeHome(ended);
		mkdirSync(path.join(ended, 'artifacts'), { recursive: true });
		mkdirSync(path.join(dataFolder, 'tmp', 'other'));

		await removeLeftHomes(dataFolder);

		const names = readdirSync(path.join(dataFolder, 'tmp'));
		expect(names.sort()).toEqual([path.basename(used), 'other'].sort());
	});

	it('need not be there', async () => {
		await expect(removeLeftHomes(path.join(temporaryFolder(), 'none'))).resolves.toBeUndefined();
	});
});
