// n8n-core reads this when it is loaded, so this module comes before it. Errors are what the cases
// are about; without it, n8n writes each of them.
process.env.N8N_LOG_LEVEL ??= 'silent';
