import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ServiceProcess } from '../../dev/localService/ServiceProcess';
import { waitFor } from '../support/waitFor';
import { deferred } from './support/deferred';
import { FakeEngine } from './support/fakeEngine';
import { useTemporaryFolder } from './support/temporaryData';
import { refOf, useModelServer } from './support/useModelServer';
import { callApi, useServices } from './support/useService';
import { useShop } from './support/useShop';

const STOPPED = 'The service was stopped while the job was running';

/** The processes that have to do with a folder: browsers with a profile in it. */
function processesOf(folder: string): string[] {
	const list = execFileSync('ps', ['-axww', '-o', 'args='], { encoding: 'utf8' });
	return list.split('\n').filter((line) => line.includes('chrom') && line.includes(folder));
}

describe('npm run service', () => {
	const temporaryFolder = useTemporaryFolder();
	const services = useServices();
	const shop = useShop();
	const model = useModelServer();
	const processes: ServiceProcess[] = [];
	afterEach(() => {
		for (const service of processes.splice(0)) service.kill('SIGKILL');
	});

	function spawnService(env: Record<string, string> = {}) {
		const service = new ServiceProcess({
			MODELS: 'local/scripted',
			MODEL_BASE_URL: model.url,
			SERVICE_PORT: '0',
			CHROMIUM_SANDBOX: process.getuid?.() === 0 ? 'off' : 'on',
			AGENT_ALLOWED_HOSTS: shop.host,
			...env,
		});
		processes.push(service);
		return service;
	}

	/** A job whose model thinks for ever in the job's second step. */
	async function startJob(service: { url: string; apiKey: string }) {
		const thinks = deferred();
		model.does(({ page }) => {
			if (page.includes('link "Report"') && !page.includes('Downloaded')) {
				return { call: 'click', input: { ref: refOf(page, 'link "Report"') } };
			}
			thinks.resolve();
			return 'silence';
		});
		const { json } = await callApi(service, '/v1/run_browser_agent', {
			body: { directive: 'Download the report, and think', initial_url: shop.url },
		});
		await thinks.promise;
		return String(json.job_id);
	}

	const recordOf = (folder: string, id: string) =>
		JSON.parse(readFileSync(path.join(folder, 'jobs', id, 'record.json'), 'utf8')) as object;

	it.each([
		[{ MODELS: '' }, /^MODELS is not set: .*\n$/],
		[{ SERVICE_PORT: '99999' }, /^SERVICE_PORT must be .*\n$/],
		[{ CHROMIUM_BIN: '/missing/chromium' }, /^.*\/missing\/chromium.*\n$/],
	])('with %j ends with one sentence and exit code 1', async (env, sentence) => {
		const service = spawnService({ SERVICE_DATA: temporaryFolder(), ...env });
		expect(await service.ended()).toBe(1);
		expect(service.stderr).toMatch(sentence);
		expect(service.stdout).toBe('');
	});

	it('in a folder that is in use ends with one sentence and exit code 1', async () => {
		const other = await services.start({}, { engine: new FakeEngine() });
		const service = spawnService({ SERVICE_DATA: other.dataFolder });
		expect(await service.ended()).toBe(1);
		expect(service.stderr).toMatch(/^SERVICE_DATA is in use: .*\n$/);
	});

	it('fails a running job with its sentence on SIGTERM, and leaves nothing behind', async () => {
		const folder = temporaryFolder();
		const service = spawnService({ SERVICE_DATA: folder });
		const id = await startJob(await service.started());
		expect(processesOf(folder)).not.toEqual([]);

		const stoppedAt = Date.now();
		service.kill('SIGTERM');
		expect(await service.ended()).toBe(0);
		expect(Date.now() - stoppedAt).toBeLessThan(10_000);
		expect(recordOf(folder, id)).toMatchObject({ status: 'failed', error: STOPPED });
		expect(processesOf(folder)).toEqual([]);
		expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toEqual([]);
		expect(readdirSync(path.join(folder, 'tmp'))).toEqual([]);
	});

	it('after a kill has the job as failed, with history, file and credits, and no browser', async () => {
		const folder = temporaryFolder();
		const env = { SERVICE_DATA: folder, SERVICE_CREDITS: '10' };
		const killed = spawnService(env);
		const id = await startJob(await killed.started());
		killed.kill('SIGKILL');
		await killed.ended();
		await waitFor(() => expect(processesOf(folder)).toEqual([]), 20_000);
		// As a container of another name leaves it.
		mkdirSync(path.join(folder, 'lock-of-a-dead-container'));

		const next = await spawnService(env).started();
		const { json } = await callApi(next, `/v1/get_job_status/${id}`);
		expect(json).toMatchObject({
			status: 'failed',
			error: STOPPED,
			credits_used: 1,
			credit_balance: 9,
		});
		const { json: listed } = await callApi(next, `/v1/get_job_files/${id}`);
		expect(listed).toMatchObject({ file_count: 1 });
		const steps = readFileSync(path.join(folder, 'jobs', id, 'history', 'steps.jsonl'), 'utf8');
		expect(steps.trim().split('\n')).toHaveLength(2);
	});
});
