// n8n-core reads this when it is loaded, so this module comes before it. Errors are what many tests
// are about; without it, n8n writes each of them between the results.
process.env.N8N_LOG_LEVEL ??= 'silent';
