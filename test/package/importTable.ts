import { posix } from 'node:path';
import ts from 'typescript';

/** One import of one file. Paths begin at the package's root, without an ending. */
interface Import {
	from: string;
	to: string;
	isOurs: boolean;
	names: string[];
	/** Gone after compiling, so that it binds the rooms in what they know, not in what they call. */
	isTypeOnly: boolean;
}

type Found = Pick<Import, 'names' | 'isTypeOnly'> & { specifier: ts.Node | undefined };

/** The table "Who may import whom" of CONTRIBUTING.md: what a room may take from other rooms. */
const MAY_IMPORT: Record<string, (wanted: Import) => boolean> = {
	credentials: ({ to }) => to === 'nodes/client/baseUrl',
	BrowserAgent: ({ to }) => isIn(to, 'client', 'jobs', 'items', 'errors'),
	BrowserAgentTrigger: ({ to }) => isIn(to, 'client', 'jobs', 'items', 'errors'),
	items: ({ to, isTypeOnly }) =>
		to === 'nodes/jobs/status' || (isTypeOnly && isIn(to, 'client', 'jobs')),
	jobs: ({ to, isTypeOnly }) => isTypeOnly && isIn(to, 'client'),
	client: ({ to, isTypeOnly }) =>
		to === 'nodes/errors/ServiceError' ||
		to === 'nodes/jobs/clock' ||
		to === 'nodes/jobs/status' ||
		(isTypeOnly && isIn(to, 'jobs')),
	errors: () => false,
};

/** What n8n and Node.js provide. Everything else would have to be installed beside the package. */
const RUNTIME_PACKAGES = ['n8n-workflow', 'node:crypto'];

/** Every import of the file that the table does not allow, as `from -> to`. */
export function findForbiddenImports(path: string, text: string): string[] {
	return readImports(path, text)
		.filter((wanted) => !isAllowed(wanted))
		.map(({ from, to }) => `${from} -> ${to}`);
}

function isAllowed(wanted: Import): boolean {
	// The sandbox knows the service's document only, so that it can prove the nodes wrong.
	if (wanted.from.startsWith('dev/sandbox/')) return !/^(nodes|credentials)\//.test(wanted.to);

	const room = roomOf(wanted.from);
	if (room === undefined) return false;
	if (!wanted.isOurs) return isAllowedPackage(room, wanted);
	return roomOf(wanted.to) === room || MAY_IMPORT[room]?.(wanted) === true;
}

function isAllowedPackage(room: string, { from, to, names, isTypeOnly }: Import): boolean {
	if (room === 'jobs' && to === 'n8n-workflow') {
		return from === 'nodes/jobs/clock' && names.join() === 'sleep';
	}
	return RUNTIME_PACKAGES.includes(to) || (isTypeOnly && to.startsWith('node:'));
}

function isIn(path: string, ...rooms: string[]): boolean {
	return rooms.some((room) => path.startsWith(`nodes/${room}/`));
}

/** `credentials` or the folder below `nodes/`; nothing for a file outside the rooms of the table. */
function roomOf(path: string): string | undefined {
	const [top = '', folder = '', ...file] = path.split('/');
	const room = top === 'nodes' && file.length > 0 ? folder : top;
	return room in MAY_IMPORT && (top === 'nodes' || room === 'credentials') ? room : undefined;
}

function readImports(path: string, text: string): Import[] {
	const from = withoutEnding(path);
	const imports: Import[] = [];

	const visit = (node: ts.Node): void => {
		const found = asImport(node);
		if (found) {
			const { specifier, names, isTypeOnly } = found;
			const written =
				specifier && ts.isStringLiteralLike(specifier)
					? specifier.text
					: '(worked out at run time)';
			const isOurs = written.startsWith('.');
			const to = isOurs
				? withoutEnding(posix.normalize(posix.join(posix.dirname(path), written)))
				: written;
			imports.push({ from, to, isOurs, names, isTypeOnly });
		}
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));

	return imports;
}

function asImport(node: ts.Node): Found | undefined {
	if (ts.isImportDeclaration(node)) {
		return { specifier: node.moduleSpecifier, ...readClause(node.importClause) };
	}
	if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
		const list =
			node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause : null;
		return {
			specifier: node.moduleSpecifier,
			names: list ? readNames(list.elements) : ['*'],
			isTypeOnly: node.isTypeOnly || (list !== null && areTypes(list.elements)),
		};
	}
	if (ts.isExternalModuleReference(node)) {
		return { specifier: node.expression, names: ['*'], isTypeOnly: false };
	}
	if (ts.isImportTypeNode(node)) {
		const { argument } = node;
		const specifier = ts.isLiteralTypeNode(argument) ? argument.literal : argument;
		return { specifier, names: ['*'], isTypeOnly: true };
	}
	if (ts.isCallExpression(node) && isLoading(node.expression)) {
		return { specifier: node.arguments[0], names: ['*'], isTypeOnly: false };
	}
	return undefined;
}

function readClause(clause: ts.ImportClause | undefined): Pick<Import, 'names' | 'isTypeOnly'> {
	if (!clause) return { names: [], isTypeOnly: false };
	const bindings = clause.namedBindings;
	const list = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
	return {
		names: [
			...(clause.name ? ['default'] : []),
			...(bindings && ts.isNamespaceImport(bindings) ? ['*'] : []),
			...readNames(list),
		],
		isTypeOnly: clause.isTypeOnly || (!clause.name && areTypes(list)),
	};
}

function readNames(list: ReadonlyArray<ts.ImportSpecifier | ts.ExportSpecifier>): string[] {
	return list.map(({ propertyName, name }) => (propertyName ?? name).text);
}

function areTypes(list: ReadonlyArray<ts.ImportSpecifier | ts.ExportSpecifier>): boolean {
	return list.length > 0 && list.every(({ isTypeOnly }) => isTypeOnly);
}

/** `import(…)`, `require(…)` or `require.resolve(…)`. */
function isLoading(called: ts.Expression): boolean {
	if (ts.isPropertyAccessExpression(called)) return isLoading(called.expression);
	return (
		called.kind === ts.SyntaxKind.ImportKeyword ||
		(ts.isIdentifier(called) && called.text === 'require')
	);
}

function withoutEnding(path: string): string {
	return path.replace(/\.ts$/, '');
}
