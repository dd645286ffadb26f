/** The account of the sandbox that everything runs on. */
export const KEY = 'sandbox-enterprise-key';
