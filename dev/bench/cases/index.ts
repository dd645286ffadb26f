import { waitForMany } from './waitForMany';

/** The cases, each run in its own process. Options and results are sent as JSON. */
export const CASES = { waitForMany };

export type CaseName = keyof typeof CASES;
export type OptionsOf<Name extends CaseName> = Parameters<(typeof CASES)[Name]>[0];
export type ResultOf<Name extends CaseName> = Awaited<ReturnType<(typeof CASES)[Name]>>;
