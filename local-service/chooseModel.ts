import { Refusal } from '../api/backend';
import { MODELS as DOCUMENT_MODELS } from '../api/document';
import type { ModelChoice } from './settings';

/** A model, and the name that was asked for where it stands for another model. */
export interface ChosenModel {
	choice: ModelChoice;
	requestedModel?: string;
}

/**
 * Chooses among the models of the settings: the default, or the one with this name, with or without
 * its provider. The names that the service's document has mean nothing here and stand for the
 * default. Throws a Refusal for any other.
 */
export function chooseModel(models: ModelChoice[], requested: string | undefined): ChosenModel {
	const [byDefault] = models;
	if (!byDefault) throw new Error('There is no model');
	if (requested === undefined) return { choice: byDefault };

	const named =
		models.find(({ label }) => label === requested) ??
		models.find(({ name }) => name === requested);
	if (named) return { choice: named };
	if (DOCUMENT_MODELS.has(requested)) return { choice: byDefault, requestedModel: requested };
	const labels = models.map(({ label }) => label).join(', ');
	throw new Refusal(
		400,
		`There is no model '${requested}' here: choose Service Default, or Custom with one of ${labels}`,
	);
}
