const MAX_LEVELS = 200;

/**
 * JSON data that nothing fails on: what is nested more than 200 levels deep becomes JSON text, since
 * n8n copies data recursively. Of an object only the fields that are too deep become text.
 */
export function limitDepth(data: unknown): unknown {
	if (!isDeeperThan(data, MAX_LEVELS)) return data;
	if (Array.isArray(data)) return toJsonText(data);
	const fields = Object.entries(data as object).map(([name, value]: [string, unknown]) => {
		return [name, isDeeperThan(value, MAX_LEVELS - 1) ? toJsonText(value) : value];
	});
	return Object.fromEntries(fields);
}

// Level by level instead of recursively, for the same reason.
function isDeeperThan(data: unknown, levels: number): boolean {
	let level = [data].filter(isNested);
	for (let depth = 0; depth < levels && level.length > 0; depth++) {
		level = level.flatMap((value) => Object.values(value).filter(isNested));
	}
	return level.length > 0;
}

// `JSON.stringify` fails on some thousand levels.
function toJsonText(data: unknown): string {
	const parts: string[] = [];
	const rest: Array<{ text: string } | { value: unknown }> = [{ value: data }];
	for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
		if ('text' in next) parts.push(next.text);
		else if (!isNested(next.value)) parts.push(JSON.stringify(next.value));
		else rest.push(...piecesOf(next.value).reverse());
	}
	return parts.join('');
}

function piecesOf(value: object): Array<{ text: string } | { value: unknown }> {
	const isList = Array.isArray(value);
	const pieces = Object.entries(value).flatMap(([name, inner]: [string, unknown], index) => {
		const comma = index === 0 ? '' : ',';
		return [{ text: isList ? comma : `${comma}${JSON.stringify(name)}:` }, { value: inner }];
	});
	return [{ text: isList ? '[' : '{' }, ...pieces, { text: isList ? ']' : '}' }];
}

function isNested(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
