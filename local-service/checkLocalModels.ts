import { z } from 'zod';

import type { Settings } from './settings';

const LIMIT_MS = 5_000;

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/**
 * Asks the server of `local` models for its list. Returns a warning if a first job would
 * probably fail, else nothing: a server may start later, and need not have a list.
 */
export async function checkLocalModels({
	models,
	modelUrls,
	modelKeys,
}: Pick<Settings, 'models' | 'modelUrls' | 'modelKeys'>): Promise<string | undefined> {
	const wanted = models.filter(({ provider }) => provider === 'local');
	if (modelUrls.local === undefined || wanted.length === 0) return undefined;

	const headers: Record<string, string> = modelKeys.local
		? { Authorization: `Bearer ${modelKeys.local}` }
		: {};
	let response: Response;
	try {
		const signal = AbortSignal.timeout(LIMIT_MS);
		response = await fetch(`${modelUrls.local}/models`, { headers, signal });
	} catch {
		return `Nothing answers at MODEL_BASE_URL, ${modelUrls.local}: jobs fail until a model server runs there`;
	}
	if (response.status === 401 || response.status === 403) {
		return `The server at MODEL_BASE_URL refuses MODEL_API_KEY (${response.status})`;
	}
	const list = listSchema.safeParse(await response.json().catch(() => undefined));
	if (!response.ok || !list.success) return undefined;
	const names = list.data.data.map(({ id }) => id);
	// Ollama lists a model without a tag as `name:latest`.
	const missing = wanted.find(
		({ name }) => !names.some((id) => [name, `${name}:latest`].includes(id)),
	);
	if (!missing) return undefined;
	const others = names.slice(0, 10).join(', ') || 'none';
	return `The server at MODEL_BASE_URL has no model '${missing.name}'; it lists: ${others}`;
}
