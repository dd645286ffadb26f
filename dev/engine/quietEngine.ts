// n8n-core reads this when it is loaded, so this module comes before it. Many tests and fuzz cases
// cause errors, each of which n8n would otherwise log between the results.
process.env.N8N_LOG_LEVEL ??= 'silent';
