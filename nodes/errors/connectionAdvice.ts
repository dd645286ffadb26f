const PRIVATE_CA =
	"If the service, or a proxy in front of it, has its certificate from a private CA, set NODE_EXTRA_CA_CERTS in n8n's environment to a file with the CA's certificate, and restart n8n.";
const RENEW =
	"Whoever runs that host must renew the certificate. Check the clock of n8n's machine, too.";
const PLAIN_PORT =
	'Check the scheme of the address: the port may expect http:// instead of https://.';

/** What to do about a connection that failed with one of these codes of Node.js. */
export const CONNECTION_ADVICE: Partial<Record<string, string>> = {
	DEPTH_ZERO_SELF_SIGNED_CERT: PRIVATE_CA,
	SELF_SIGNED_CERT_IN_CHAIN: PRIVATE_CA,
	UNABLE_TO_GET_ISSUER_CERT: PRIVATE_CA,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: PRIVATE_CA,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: PRIVATE_CA,
	CERT_UNTRUSTED: PRIVATE_CA,
	CERT_HAS_EXPIRED: RENEW,
	CERT_NOT_YET_VALID: RENEW,
	EPROTO: PLAIN_PORT,
	ERR_SSL_WRONG_VERSION_NUMBER: PLAIN_PORT,
};
