import { NodeConnectionTypes } from 'n8n-workflow';

// n8n 1.81, for example, does not export the names of connections.
const names = NodeConnectionTypes as typeof NodeConnectionTypes | undefined;

/** The connection through which items go from node to node. */
export const MAIN = names?.Main ?? 'main';
