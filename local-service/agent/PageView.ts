import { randomBytes } from 'node:crypto';

import type { Page } from 'playwright-core';

import { LimitError, untilAborted, within } from '../abort';
import { isUnloaded, type Passwords } from './Passwords';

/** A page of 2,000 rows takes 12 s. */
const SNAPSHOT_LIMIT_MS = 60_000;
/**
 * Playwright waits for a frame that has not been loaded until the limit, then shows the rest. Many
 * pages have one: it is loaded when somebody scrolls to it.
 */
const WAITING_SNAPSHOT_LIMIT_MS = 2000;
const TITLE_LIMIT_MS = 5000;
/** What is read of a page: many times of what a model is shown. A page may be of any size. */
const MAX_OUTLINE_CHARACTERS = 1_000_000;
const MAX_TITLE_CHARACTERS = 500;
const MAX_ADDRESS_CHARACTERS = 2000;

/** A page as the agent sees it, with passwords hidden. */
export interface PageView {
	address: string;
	title: string;
	/** Playwright's outline of all elements, with their references: one a line, indented. */
	outline: string;
}

/**
 * Reads a page. One that does not answer has an outline that says so. Throws the signal's reason
 * when it is aborted.
 */
export async function readPage(
	page: Page,
	passwords: Passwords,
	signal: AbortSignal,
): Promise<PageView> {
	const { title, outline } = await readContent(page, passwords, signal);
	return {
		address: passwords.hide(page.url()).slice(0, MAX_ADDRESS_CHARACTERS),
		title: passwords.hide(title).slice(0, MAX_TITLE_CHARACTERS),
		outline: passwords.hide(outline),
	};
}

async function readContent(page: Page, passwords: Passwords, signal: AbortSignal) {
	// A page that moves on while it is read is read once more.
	for (const isLast of [false, true]) {
		const timeout =
			isLast || !page.frames().some(isUnloaded) ? SNAPSHOT_LIMIT_MS : WAITING_SNAPSHOT_LIMIT_MS;
		try {
			await untilAborted(passwords.readFrom(page), signal);
			const outline = await page.ariaSnapshot({ mode: 'ai', signal, timeout });
			const title = await within(TITLE_LIMIT_MS, page.title());
			// A password may have come while the outline was made.
			await untilAborted(passwords.readFrom(page), signal);
			return { title, outline: upToLimit(outline) };
		} catch (error) {
			signal.throwIfAborted();
			if (isLast || page.isClosed() || error instanceof LimitError) break;
		}
	}
	return { title: '', outline: '(The content of this page can not be read.)' };
}

/** Cut at a line, so that no password is cut in two. */
function upToLimit(outline: string): string {
	if (outline.length <= MAX_OUTLINE_CHARACTERS) return outline;
	const lineEnd = outline.lastIndexOf('\n', MAX_OUTLINE_CHARACTERS);
	return `${outline.slice(0, Math.max(0, lineEnd))}\n- text: (The page is longer than can be read.)`;
}

/**
 * The message that shows the model a page: `news` of the last action, then the page between two
 * lines that the page can't know. An outline above `maxCharacters` is cut at a line, and says so.
 */
export function toMessage(
	{ address, title, outline }: PageView,
	news: string[],
	maxCharacters: number,
): string {
	const page = [`Address: ${address}`, `Title: ${title}`, cut(outline, maxCharacters)];
	return [...news, fence('page', page.join('\n'))].join('\n');
}

/** What a page says, between two lines that it can't know and thus not imitate. */
export function fence(name: string, content: string): string {
	const mark = randomBytes(6).toString('hex');
	return `--- ${name} begins ${mark} ---\n${content}\n--- ${name} ends ${mark} ---`;
}

function cut(outline: string, maxCharacters: number): string {
	if (outline === '') return '(This page is empty.)';
	if (outline.length <= maxCharacters) return outline;

	const lineEnd = outline.lastIndexOf('\n', maxCharacters);
	const beginning = outline.slice(0, lineEnd === -1 ? maxCharacters : lineEnd);
	const shown = beginning.length.toLocaleString('en');
	const all = outline.length.toLocaleString('en');
	return `${beginning}\n(Cut here: ${shown} of ${all} characters. The tool "find" searches all of them.)`;
}

/** An element's role and name as the outline has them: 'button "Download"'. */
export function describeElement({ outline }: PageView, ref: string): string | undefined {
	const end = outline.indexOf(`[ref=${ref}]`);
	if (end === -1) return undefined;

	const line = outline.slice(outline.lastIndexOf('\n', end) + 1, end);
	const [, role, name] = /^\s*- ('?\w+)(?: ("(?:[^"\\]|\\.)*"))?/.exec(line) ?? [];
	if (!role) return undefined;
	const label = name ? ` ${name.slice(0, 100)}` : '';
	return `${role.replace(/^'/, '')}${label}`;
}
