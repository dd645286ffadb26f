import { randomBytes, timingSafeEqual } from 'node:crypto';
import dns, { type LookupAddress } from 'node:dns';
import http from 'node:http';
import net, { type LookupFunction } from 'node:net';

import { RequestError, Server } from 'proxy-chain';

import type { Settings } from '../settings';
import { isListed, isListedWithSubdomains, normalizeHost, type Target } from './hosts';
import { isOwnAddress, isPublicAddress } from './isPublicAddress';

/** The proxy that all traffic of one browser goes through. */
export interface Guard {
	/** For the browser's settings. */
	readonly proxy: { server: string; username: string; password: string };
	/** Ends it with all its connections. */
	close(): Promise<void>;
}

export type GuardSettings = Pick<Settings, 'allowedHosts' | 'onlyHosts'>;

/** Looks up all addresses of a name. Rejects when it has none. */
export type LookUp = (name: string) => Promise<LookupAddress[]>;

const USERNAME = 'job';

/**
 * Of one browser at a time. Node.js looks names up in a few threads, which the models' clients
 * need, too: a page with a hundred names that nobody answers for would keep them for minutes.
 */
const MAX_LOOK_UPS = 3;

const lookUpAll: LookUp = async (name) => await dns.promises.lookup(name, { all: true });

/**
 * Starts a guard on a free port of the loopback interface. It lets through what goes to a public
 * address, or to a host that the settings allow. It looks each name up itself, checks what comes
 * back, and connects to an address that it has checked: so a name can't stand for another address
 * a moment later, and it does not matter how an address is spelled, or whether a page, a redirect,
 * a frame, a worker or a WebSocket asks for it.
 *
 * `onRefusal` gets one line for each request that is refused.
 */
export async function startGuard(
	settings: GuardSettings,
	onRefusal: (line: string) => void,
	lookUp: LookUp = lookUpAll,
): Promise<Guard> {
	const closing = new AbortController();
	const lookUpInTurn = inTurns(lookUp, closing.signal);
	const password = randomBytes(24).toString('base64url');
	const httpAgent = new http.Agent({ keepAlive: true });
	const server = new Server({
		host: '127.0.0.1',
		port: 0,
		authRealm: 'browser',
		async prepareRequestFunction(request) {
			// Chromium asks without it first, and calls its maker's hosts without it only.
			if (!isEqual(request.password, password)) return { requestAuthentication: true };

			const target = { host: request.hostname, port: request.port };
			try {
				const addresses = await check(target, settings, lookUpInTurn);
				return { dnsLookup: handOut(addresses), httpAgent };
			} catch (error) {
				if (!(error instanceof Refusal))
					throw new RequestError(`${target.host} was not found`, 502);
				onRefusal(error.message);
				throw new RequestError(error.message, 403);
			}
		},
	});
	await server.listen();

	return {
		proxy: { server: `http://127.0.0.1:${server.port}`, username: USERNAME, password },
		async close() {
			closing.abort();
			httpAgent.destroy();
			await server.close(true);
		},
	};
}

/** A request that must not go out. The message says why. */
class Refusal extends Error {}

/** The addresses that may be connected to. Throws a Refusal when there is none. */
async function check(
	target: Target,
	{ allowedHosts, onlyHosts }: GuardSettings,
	lookUp: LookUp,
): Promise<LookupAddress[]> {
	const shown = `${target.host}:${target.port}`;
	if (onlyHosts && !isListedWithSubdomains(onlyHosts, target)) {
		throw new Refusal(`Refused: ${shown} is not in AGENT_ONLY_HOSTS`);
	}

	const host = normalizeHost(target.host);
	const family = net.isIP(host);
	const addresses = family ? [{ address: host, family }] : await lookUp(host);
	if (isListed(allowedHosts, target)) return addresses;

	const publicOnes = addresses.filter(({ address }) => isPublicAddress(address));
	const others = publicOnes.filter(({ address }) => !isOwnAddress(address));
	if (others.length === 0) {
		const what = publicOnes.length === 0 ? 'a private address' : "in this machine's own network";
		throw new Refusal(`Refused: ${shown} is ${what}, and AGENT_ALLOWED_HOSTS does not allow it`);
	}
	return others;
}

/** Looks up a few names at a time, and none that still wait when the signal is aborted. */
function inTurns(lookUp: LookUp, signal: AbortSignal): LookUp {
	let running = 0;
	const waiting: (() => void)[] = [];
	return async (name) => {
		if (running === MAX_LOOK_UPS) await new Promise<void>((resolve) => waiting.push(resolve));
		else running++;
		try {
			signal.throwIfAborted();
			return await lookUp(name);
		} finally {
			const next = waiting.shift();
			if (next) next();
			else running--;
		}
	};
}

/** In place of a look-up: whoever connects gets the addresses that were checked. */
function handOut(addresses: LookupAddress[]): typeof dns.lookup {
	const lookup: LookupFunction = (_name, { all }, callback) => {
		const [first] = addresses;
		if (all) callback(null, addresses);
		else callback(null, first?.address ?? '', first?.family);
	};
	return lookup as typeof dns.lookup;
}

function isEqual(given: string, password: string): boolean {
	const [one, other] = [Buffer.from(given), Buffer.from(password)];
	return one.length === other.length && timingSafeEqual(one, other);
}
