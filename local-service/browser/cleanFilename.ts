import path from 'node:path';

const MAX_CHARACTERS = 150;

/** Types that browsers show without running anything. An SVG image can contain scripts. */
const TYPES: Record<string, string> = {
	'.pdf': 'application/pdf',
	'.png': 'image/png',
	'.jpg': 'image/jpeg',
	'.jpeg': 'image/jpeg',
	'.gif': 'image/gif',
	'.webp': 'image/webp',
	'.csv': 'text/csv',
	'.json': 'application/json',
};

/**
 * A file name as a site gives it, made fit to be shown and saved: without a path, characters that
 * control a terminal or the direction of writing, and characters that Windows refuses, and with 150
 * characters at most, the extension included.
 */
export function cleanFilename(name: string): string {
	const base = name.slice(-1000).split(/[/\\]/).at(-1) ?? '';
	const clean = base
		.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
		.replace(/[<>:"|?*]/g, '_')
		.replace(/^[\s.]+|[\s.]+$/g, '');
	if (clean === '') return 'download';

	const extension = path.extname(clean).slice(0, 20);
	const stem = clean.slice(0, clean.length - path.extname(clean).length);
	return `${[...stem].slice(0, MAX_CHARACTERS - extension.length).join('')}${extension}`;
}

/** The media type of a file by its name: application/octet-stream unless it is safe to show. */
export function contentTypeOf(filename: string): string {
	return TYPES[path.extname(filename).toLowerCase()] ?? 'application/octet-stream';
}
