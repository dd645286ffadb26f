// Empty on purpose: n8n loads the files that package.json lists under "n8n", not this module.
