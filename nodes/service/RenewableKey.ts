/**
 * The API key of a client. It may be replaced in the credential while the client is in use, e.g. by
 * a vault. After a 401 from the service, the credential is read again, but not twice before a call
 * has succeeded.
 */
export class RenewableKey {
	/** How many times the key has been replaced. Remember it when a call is sent. */
	version = 0;

	private mayRead = true;

	private reading: Promise<void> | undefined;

	/**
	 * `readAgain` reads the credential, and from then on calls are sent with the key in it. It
	 * returns whether that is another key for the same service. Unset: the key stays the same.
	 */
	constructor(private readonly readAgain: () => Promise<boolean> = async () => false) {}

	/**
	 * Whether the key has been replaced since a call was sent with this version of it, and got a 401
	 * from the service. Reads the credential again if that has not been done. Never rejects.
	 */
	async isReplaced(version: number): Promise<boolean> {
		if (this.version === version && this.mayRead) {
			this.mayRead = false;
			this.reading = this.renew();
		}
		await this.reading;
		return this.version !== version;
	}

	/** Records that the service has accepted the key. */
	recordSuccess(): void {
		this.mayRead = true;
	}

	private async renew(): Promise<void> {
		// A credential that can't be read has no other key.
		const isOther = await this.readAgain().catch(() => false);
		if (isOther) this.version++;
	}
}
