/** A promise that a test settles when it wants to. */
export interface Deferred<T> {
	promise: Promise<T>;
	resolve(value: T): void;
	reject(error: Error): void;
}

export function deferred<T = void>(): Deferred<T> {
	let settled!: Pick<Deferred<T>, 'resolve' | 'reject'>;
	const promise = new Promise<T>((resolve, reject) => {
		settled = { resolve, reject };
	});
	return { promise, ...settled };
}
