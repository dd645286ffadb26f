import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';

import { startService } from '../../local-service/startService';
import { FakeEngine } from './support/fakeEngine';
import { serviceSettings } from './support/serviceSettings';
import { useTemporaryFolder } from './support/temporaryData';
import { useServices } from './support/useService';

describe('the start of the service', () => {
	const temporaryFolder = useTemporaryFolder();
	const services = useServices();

	describe('is refused, and leaves the folder free,', () => {
		async function expectRefusal(
			changes: Parameters<typeof serviceSettings>[0],
			sentence: string | RegExp,
		) {
			const settings = serviceSettings({ port: 0, ...changes });
			const options = { engine: new FakeEngine(), writeLog: () => {} };
			const refused = startService(settings, options);
			await expect(refused).rejects.toThrow(sentence);
			await expect(refused).rejects.toHaveProperty('name', 'SettingError');
			const { dataFolder } = settings;
			await services.start({ dataFolder }, options);
		}

		it('on a port that is taken', async () => {
			const other = createServer();
			await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
			const { port } = other.address() as AddressInfo;
			await expectRefusal({ port }, `SERVICE_PORT can't be used: port ${port} is taken`);
			other.close();
		});

		it("on a host that isn't this machine's", async () => {
			await expectRefusal({ host: '192.0.2.1' }, "SERVICE_HOST can't be used");
		});

		it('when its credits are not known any more', async () => {
			const dataFolder = temporaryFolder();
			const file = path.join(dataFolder, 'credits.json');
			writeFileSync(file, '{');
			const options = { engine: new FakeEngine(), writeLog: () => {} };
			const refused = startService(serviceSettings({ dataFolder, port: 0 }), options);
			await expect(refused).rejects.toThrow(`The file '${file}' is damaged`);
		});
	});
});
