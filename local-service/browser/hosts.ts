/** Where a request of the browser goes. */
export interface Target {
	/** A name or an address. An IPv6 address may have brackets. */
	host: string;
	port: number;
}

/** Whether a list of `name` or `name:port`, in lower case, has this host. */
export function isListed(list: string[], { host, port }: Target): boolean {
	const name = normalizeHost(host);
	return list.some((entry) => {
		const [, entryHost = '', entryPort] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
		const fits = normalizeHost(entryHost) === name;
		return fits && (entryPort === undefined || Number(entryPort) === port);
	});
}

/** Whether a list of names, in lower case, has this host or a domain that it belongs to. */
export function isListedWithSubdomains(list: string[], { host }: Target): boolean {
	const name = normalizeHost(host);
	return list.some((entry) => {
		const domain = normalizeHost(entry);
		return name === domain || name.endsWith(`.${domain}`);
	});
}

/** In lower case, without the brackets of IPv6, and without the dot at the end of a full name. */
export function normalizeHost(host: string): string {
	return host
		.toLowerCase()
		.replace(/^\[(.*)\]$/, '$1')
		.replace(/\.$/, '');
}
