import { NodeConnectionTypes } from 'n8n-workflow';

// Some versions of n8n, e.g. 1.81, don't export the names of connections.
const names = NodeConnectionTypes as typeof NodeConnectionTypes | undefined;

/** The connection through which items go from node to node. */
export const MAIN = names?.Main ?? 'main';
