import { downloadFile } from './downloadFile';
import { getJobs } from './getJobs';
import { pollTrigger } from './pollTrigger';
import { runJobs } from './runJobs';
import { seeEnds } from './seeEnds';
import { waitForMany } from './waitForMany';

/** What can be run in a process of its own. Options and results go through JSON. */
export const CASES = { downloadFile, getJobs, pollTrigger, runJobs, seeEnds, waitForMany };

export type CaseName = keyof typeof CASES;
export type OptionsOf<Name extends CaseName> = Parameters<(typeof CASES)[Name]>[0];
export type ResultOf<Name extends CaseName> = Awaited<ReturnType<(typeof CASES)[Name]>>;
