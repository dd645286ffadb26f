// The generator of Park and Miller ("Random Number Generators: Good Ones Are Hard to Find", 1988).
const MULTIPLIER = 48_271;
const MODULUS = 2 ** 31 - 1;

/**
 * Random numbers from 0 to 1, the same ones for each whole `seed`: a simulation can be repeated.
 */
export function seededRandom(seed: number): () => number {
	let state = 1 + (Math.abs(seed) % (MODULUS - 1));
	return () => {
		state = (state * MULTIPLIER) % MODULUS;
		return state / MODULUS;
	};
}
