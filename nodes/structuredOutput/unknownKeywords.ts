import { isKeyword, schemasIn, type JsonSchema } from './metaSchema';

// Annotations that tools export.
const USUAL = [
	'$dynamicAnchor',
	'$recursiveAnchor',
	'contentEncoding',
	'contentMediaType',
	'contentSchema',
	'defaultSnippets',
	'deprecationMessage',
	'discriminator',
	'enumDescriptions',
	'enumNames',
	'errorMessage',
	'example',
	'externalDocs',
	'$id',
	'markdownDescription',
	'markdownEnumDescriptions',
	'propertyOrder',
	'propertyOrdering',
	'tsType',
	'xml',
];
// `x-…` as in OpenAPI, and e.g. `ui:widget`.
const USUAL_FORM = /^x-|:/i;

/**
 * Returns the names in a schema, each once, that are neither keywords nor usual annotations, and so
 * may be misspelt keywords.
 */
export function findUnknownKeywords(schema: JsonSchema): string[] {
	const names = [...schemasIn(schema)].flatMap((one) => Object.keys(one));
	return [...new Set(names.filter((name) => !isKeyword(name) && !isUsualAnnotation(name)))];
}

/** Whether a name is not a keyword that has an effect here, but a usual annotation. */
export function isUsualAnnotation(name: string): boolean {
	return USUAL.includes(name) || USUAL_FORM.test(name);
}
