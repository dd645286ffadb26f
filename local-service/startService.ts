import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';

import express from 'express';

import { createFilesApi } from '../api/filesApi';
import { close, listen } from '../api/httpServer';
import type { RateLimits } from '../api/RateLimiters';
import { LOOPBACK_NAMES, type OwnAddress } from '../api/rejectForeignRequests';
import { createServiceApi } from '../api/serviceApi';
import { mapPayload } from './agent/mapPayload';
import { createModel } from './agent/model';
import { runAgent } from './agent/runAgent';
import { type BackendParts, LocalBackend } from './backend';
import { checkChromium } from './browser/checkChromium';
import { openBrowser } from './browser/openBrowser';
import { checkLocalModels } from './checkLocalModels';
import { type Clock, createClock } from './jobs/clock';
import { Credits } from './jobs/Credits';
import { DataFolder } from './jobs/DataFolder';
import { Jobs, type JobsParts } from './jobs/Jobs';
import { JobStore } from './jobs/JobStore';
import { Log } from './log';
import { createPages } from './pages/createPages';
import type { Settings } from './settings';
import { SettingError } from './SettingError';

const GB = 1024 ** 3;
/** Addresses on which a server is reached by all names of the machine. */
const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

/** What is different in tests. */
export interface ServiceOptions {
	/** Takes each line of the log; unset: the log is printed. */
	writeLog?(line: string): void;
	/** Whether the document's rate limits are kept. */
	rateLimits?: RateLimits;
	/** Browser and agent. */
	engine?: Engine;
	clock?: Clock;
}

/** What does the jobs. */
export type Engine = Pick<BackendParts, 'createModel' | 'runAgent' | 'mapPayload'> &
	Pick<JobsParts, 'openBrowser'> & { checkChromium(): Promise<void> };

/** A running local service. */
export interface Service {
	/** Base URL on this machine, without a trailing slash. */
	url: string;
	apiKey: string;
	dataFolder: string;
	jobs: Jobs;
	store: JobStore;
	credits: Credits;
	/** Fails the jobs that have not ended, closes their browsers, and frees port and folder. */
	close(): Promise<void>;
}

/**
 * Starts the local service. Throws a SettingError for a setting that turns out not to work: a folder
 * that can't be used or is in use, a browser that doesn't start, a port that is taken. Then nothing
 * listens, and nothing is locked.
 */
export async function startService(
	settings: Settings,
	{
		writeLog = console.log,
		rateLimits = 'on',
		engine = createEngine(settings),
		clock = createClock(),
	}: ServiceOptions = {},
): Promise<Service> {
	const log = new Log(writeLog, () => clock.now());
	const folder = await DataFolder.open(settings.dataFolder);
	try {
		const apiKey = settings.apiKey ?? folder.readApiKey();
		const credits = openCredits(folder, settings, clock);
		await engine.checkChromium();
		const warning = await checkLocalModels(settings);
		if (warning !== undefined) log.warning(warning);

		const store = new JobStore(folder);
		const jobs = new Jobs({
			clock,
			log,
			folder,
			store,
			credits,
			maxJobs: settings.maxJobs,
			maxBytes: settings.maxGb * GB,
			openBrowser: engine.openBrowser,
		});
		jobs.load();

		const backend = new LocalBackend({
			settings,
			apiKey,
			address: toOwnAddress(settings),
			rateLimits,
			clock,
			log,
			credits,
			jobs,
			store,
			workflowsFolder: folder.workflows,
			pagesUrl: () => settings.url ?? url,
			...engine,
		});
		const originFor = (request: IncomingMessage) => toOrigin(request, settings.url);
		const app = express();
		app.set('x-powered-by', false);
		app.use(createPages({ apiKey, jobs, store, credits }));
		app.use('/files', createFilesApi(backend));
		app.use(
			createServiceApi({
				backend,
				url: originFor,
				filesUrl: originFor,
				onDefect: (error) => log.defect(error),
			}),
		);

		const server = await listenAt(app, backend.address, settings);
		const url = toUrl(settings.host, server);
		return {
			url,
			apiKey,
			dataFolder: settings.dataFolder,
			jobs,
			store,
			credits,
			close: async () => {
				// Clients may still read how their jobs have ended.
				await jobs.stop();
				await close(server);
				await folder.close();
			},
		};
	} catch (error) {
		await folder.close();
		throw error;
	}
}

function createEngine(settings: Settings): Engine {
	return {
		checkChromium: async () => await checkChromium(settings),
		openBrowser: async (request, signal) => await openBrowser(request, settings, signal),
		createModel: (choice) => createModel(choice, settings),
		runAgent,
		mapPayload,
	};
}

function openCredits(folder: DataFolder, { credits }: Settings, clock: Clock): Credits {
	try {
		return new Credits(folder.credits, credits, clock);
	} catch (error) {
		throw new SettingError(
			`The file '${folder.credits}' is damaged: remove it, and all credits count as unused`,
			{ cause: error },
		);
	}
}

async function listenAt(
	app: express.Express,
	address: OwnAddress,
	{ host, port }: Settings,
): Promise<Server> {
	try {
		return await listen(app, address, { host, port });
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		const sentence =
			code === 'EADDRINUSE'
				? `SERVICE_PORT can't be used: port ${port} is taken`
				: code === 'EACCES'
					? `SERVICE_PORT can't be used: port ${port} needs more rights than this user has`
					: `SERVICE_HOST can't be used: the service can't listen on '${host}' (${code ?? message})`;
		throw new SettingError(sentence, { cause: error });
	}
}

/** A Host header of another name comes from a web page that has rebound its own name. */
function toOwnAddress({ host, url, ownHosts }: Settings): OwnAddress {
	const publicUrl = url === undefined ? undefined : new URL(url);
	const names = new Set([...LOOPBACK_NAMES, ...ownHosts]);
	if (!ALL_ADDRESSES.has(host)) names.add(bracketed(host.toLowerCase()));
	return {
		name: 'The service',
		hostRule: 'the address of the service: SERVICE_OWN_HOSTS lists further names for it',
		publicOrigin: publicUrl?.origin,
		hosts: (port) => [
			...(publicUrl ? [publicUrl.host] : []),
			...[...names].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])),
			// Behind a proxy with a port of its own.
			...ownHosts,
		],
	};
}

/** The origin at which this client has reached the service. Its Host header has been checked. */
function toOrigin({ headers }: IncomingMessage, publicUrl: string | undefined): string {
	const host = headers.host?.toLowerCase() ?? '';
	if (publicUrl !== undefined && new URL(publicUrl).host === host) return publicUrl;
	return `http://${host}`;
}

function toUrl(host: string, server: Server): string {
	const { port } = server.address() as AddressInfo;
	return `http://${ALL_ADDRESSES.has(host) ? '127.0.0.1' : bracketed(host)}:${port}`;
}

function bracketed(host: string): string {
	return isIPv6(host) ? `[${host}]` : host;
}
