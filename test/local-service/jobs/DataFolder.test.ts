import {
	chmodSync,
	existsSync,
	linkSync,
	mkdirSync,
	readFileSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

import { DataFolder, writeWhole } from '../../../local-service/jobs/DataFolder';
import { SettingError } from '../../../local-service/SettingError';
import { useTemporaryFolder } from '../support/temporaryData';

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe('the data folder', () => {
	const temporaryFolder = useTemporaryFolder();

	it('is made for its owner only, also where it was open to all', async () => {
		const folder = temporaryFolder();
		chmodSync(folder, 0o755);
		const data = await DataFolder.open(folder);
		for (const part of [folder, data.jobs, data.workflows, data.tmp]) {
			expect(modeOf(part)).toBe('700');
		}
		await data.close();
	});

	it('is made where it is missing', async () => {
		const folder = path.join(temporaryFolder(), 'a', 'b');
		await (await DataFolder.open(folder)).close();
		expect(modeOf(folder)).toBe('700');
	});

	it('keeps the API key that was made at the first start', async () => {
		const folder = temporaryFolder();
		const first = await DataFolder.open(folder);
		const key = first.readApiKey();
		await first.close();
		const second = await DataFolder.open(folder);
		expect(key).toMatch(/^key_[\w-]{43}$/);
		expect(second.readApiKey()).toBe(key);
		expect(modeOf(path.join(folder, 'key'))).toBe('600');
		await second.close();
	});

	it.each(['', 'two words\n'])('refuses a key file with %j', async (text) => {
		const folder = temporaryFolder();
		writeFileSync(path.join(folder, 'key'), text);
		const data = await DataFolder.open(folder);
		expect(() => data.readApiKey()).toThrow(SettingError);
		await data.close();
	});

	it('loses at its next start what is not kept', async () => {
		const folder = temporaryFolder();
		mkdirSync(path.join(folder, 'tmp', 'profile-1'), { recursive: true });
		await (await DataFolder.open(folder)).close();
		expect(existsSync(path.join(folder, 'tmp', 'profile-1'))).toBe(false);
	});

	it('is refused while another service has it, and free afterwards', async () => {
		const folder = temporaryFolder();
		const first = await DataFolder.open(folder);
		await expect(DataFolder.open(folder)).rejects.toThrow('SERVICE_DATA is in use');
		await first.close();
		await (await DataFolder.open(folder)).close();
	});

	it('is opened where a service was killed and left its socket', async () => {
		const folder = temporaryFolder();
		const lock = path.join(folder, 'lock-old');
		const dead = createServer();
		await new Promise<void>((resolve) => dead.listen(path.join(folder, 'dead'), resolve));
		// A hard link outlives the server, as the socket of a killed one does.
		linkSync(path.join(folder, 'dead'), lock);
		await new Promise((resolve) => dead.close(resolve));

		const data = await DataFolder.open(folder);
		await expect(DataFolder.open(folder)).rejects.toThrow('SERVICE_DATA is in use');
		await data.close();
	});

	it('is opened where a copy has left a file in place of the socket', async () => {
		const folder = temporaryFolder();
		writeFileSync(path.join(folder, 'lock-old'), '');
		await (await DataFolder.open(folder)).close();
	});

	it('is never given to two of several services that start at once beside a dead socket', async () => {
		for (let round = 0; round < 3; round++) {
			const folder = temporaryFolder();
			writeFileSync(path.join(folder, 'lock-old'), '');
			const opened = await Promise.allSettled(
				Array.from({ length: 4 }, async () => await DataFolder.open(folder)),
			);
			const winners = opened.filter((result) => result.status === 'fulfilled');
			expect(winners.length).toBeLessThanOrEqual(1);
			await winners[0]?.value.close();
		}
	});

	it('has a lock whose path is at most 107 bytes', async () => {
		const folder = temporaryFolder();
		const ofLength = (bytes: number) =>
			path.join(
				folder,
				'ü'.repeat(4) + 'x'.repeat(bytes - folder.length - 1 - 8 - '/lock-01234567'.length),
			);
		await (await DataFolder.open(ofLength(107))).close();
		await expect(DataFolder.open(ofLength(108))).rejects.toThrow('at most 107 bytes');
	});

	it('is refused where there is a file', async () => {
		const file = path.join(temporaryFolder(), 'file');
		writeFileSync(file, '');
		await expect(DataFolder.open(file)).rejects.toThrow(/^SERVICE_DATA names a folder .*EEXIST/);
	});

	it('has whole files only', () => {
		const file = path.join(temporaryFolder(), 'file');
		writeWhole(file, 'old');
		mkdirSync(`${file}.new`);
		expect(() => writeWhole(file, 'new')).toThrow('EISDIR');
		expect(readFileSync(file, 'utf8')).toBe('old');
	});
});
