import { downloadFile } from './downloadFile';
import { waitForMany } from './waitForMany';

/** The cases, each run in a process of its own. Options and results are sent as JSON. */
export const CASES = { downloadFile, waitForMany };

export type CaseName = keyof typeof CASES;
export type OptionsOf<Name extends CaseName> = Parameters<(typeof CASES)[Name]>[0];
export type ResultOf<Name extends CaseName> = Awaited<ReturnType<(typeof CASES)[Name]>>;
