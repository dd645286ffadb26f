import type { Locator, Page } from 'playwright-core';
import { z, type ZodType } from 'zod';

import { sleep, untilAborted, within } from '../abort';
import type { JobBrowser } from '../browser/JobBrowser';
import { isFor, type Secret, secretIn } from '../secrets';
import { findInOutline } from './findInOutline';
import type { ToolDescription } from './model';
import { describeElement, fence, type PageView } from './PageView';
import type { Passwords } from './Passwords';

/** What a tool acts on. */
interface Scene {
	browser: JobBrowser;
	/** The page as the model sees it. */
	view: PageView;
	passwords: Passwords;
	/** Of any host. */
	secrets: Secret[];
	signal: AbortSignal;
}

interface Tool<Input> extends ToolDescription {
	/**
	 * The action in words, as the job's history has it: 'Clicked button "Search"'. A typed text is no
	 * part of it: it may be a password.
	 */
	describe(input: Input, view: PageView): string;
	/** Carries out the action. Throws what goes wrong: it is told to the model. */
	act(input: Input, scene: Scene): Promise<string>;
}

/** An element is there at once, but may be covered or move for a while. */
const ACTION_LIMIT_MS = 5000;
const NAVIGATION_LIMIT_MS = 30_000;
const KEY_LIMIT_MS = 5000;
const CLIPBOARD_KEY = /(?:control|meta|controlormeta).*\+(?:key)?[cxv]$|insert$|shift\+delete$/i;
const MAX_WAIT_SECONDS = 30;
const MAX_ERROR_CHARACTERS = 300;

const NOTE = z
	.string()
	.describe('What you have seen that the task needs, and what you will do next.');

// Models write it as the page shows it: [ref=e12].
const REF = z
	.string()
	.transform((text) => /(?:f\d+)?e\d+/.exec(text)?.[0] ?? text)
	.describe('The reference of an element of the page as it is shown now, such as e12.');

// Models and the pages that they believe ask for any number.
const SECONDS = z.coerce
	.number()
	.transform((seconds) => Math.min(Math.max(seconds, 0), MAX_WAIT_SECONDS));

/** Checks the type of each tool's input, and forgets it: the model's calls are checked by it. */
function tool<Input>(
	input: ZodType<Input, z.ZodTypeDef, unknown>,
	rest: Omit<Tool<Input>, 'input'>,
): Tool<never> {
	return { input, ...rest };
}

/** What the agent can do. `done` and `give_up` end the loop. */
export const TOOLS: Record<string, Tool<never>> = {
	navigate: tool(z.object({ url: z.string().describe('An http or https address.'), note: NOTE }), {
		description: 'Opens an address.',
		describe: ({ url }) => `Opened ${url}`,
		act: async ({ url }, { browser, signal }) => await navigate(browser.page(), url, signal),
	}),

	click: tool(z.object({ ref: REF, note: NOTE }), {
		description: 'Clicks an element.',
		describe: ({ ref }, view) => `Clicked ${named(ref, view)}`,
		act: async ({ ref }, { browser, view, signal }) => {
			const element = await find(browser.page(), ref, signal);
			await element.click({ timeout: ACTION_LIMIT_MS, signal });
			return `Clicked ${named(ref, view)}.`;
		},
	}),

	type: tool(
		z.object({
			ref: REF,
			text: z.string().describe('What the field contains afterwards.'),
			submit: z
				.preprocess((value) => value === true || value === 'true', z.boolean())
				.optional()
				.describe('Whether to press Enter afterwards.'),
			note: NOTE,
		}),
		{
			description:
				'Fills a text field. What it contained is replaced. A secret that is listed is typed as ' +
				'<secret>NAME</secret>.',
			describe: ({ ref, submit }, view) =>
				`Filled ${named(ref, view)}${submit ? ' and pressed Enter' : ''}`,
			act: async ({ ref, text, submit }, { browser, view, passwords, secrets, signal }) => {
				const element = await find(browser.page(), ref, signal);
				const options = { timeout: ACTION_LIMIT_MS, signal };
				const secret = secretIn(text, secrets);
				const isFilled =
					secret !== undefined &&
					(await fillSecretly(element, secret, { browser, passwords, signal }));
				if (!isFilled) {
					if (await isPassword(element, signal)) passwords.add(text);
					await element.fill(text, options);
				}
				if (submit) await element.press('Enter', options);
				return `Filled ${named(ref, view)}${submit ? ' and pressed Enter' : ''}.`;
			},
		},
	),

	select: tool(
		z.object({
			ref: REF,
			options: z
				.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.string()))
				.describe('The names of the options.'),
			note: NOTE,
		}),
		{
			description: 'Selects options of a list (role combobox or listbox with options).',
			describe: ({ ref, options }, view) => `Selected ${options.join(', ')} in ${named(ref, view)}`,
			act: async ({ ref, options }, { browser, view, signal }) => {
				const element = await find(browser.page(), ref, signal);
				await element.selectOption(options, { timeout: ACTION_LIMIT_MS, signal });
				return `Selected ${options.join(', ')} in ${named(ref, view)}.`;
			},
		},
	),

	press: tool(
		z.object({
			key: z.string().describe('A key such as Enter, Escape, PageDown or Control+a.'),
			note: NOTE,
		}),
		{
			description: 'Presses a key on what has the focus.',
			describe: ({ key }) => `Pressed ${key}`,
			act: async ({ key }, { browser, secrets, signal }) => {
				// The clipboard would carry a secret to another host.
				if (secrets.length > 0 && CLIPBOARD_KEY.test(key)) {
					throw new Error('The clipboard can not be used while there are secrets.');
				}
				await limited(KEY_LIMIT_MS, browser.page().keyboard.press(key), signal);
				return `Pressed ${key}.`;
			},
		},
	),

	back: tool(z.object({ note: NOTE }), {
		description: 'Goes back to the page before, like the button of a browser.',
		describe: () => 'Went back',
		act: async (_input, { browser, signal }) => {
			const options = { waitUntil: 'commit', timeout: NAVIGATION_LIMIT_MS, signal } as const;
			const before = browser.page().url();
			const response = await browser.page().goBack(options);
			if (!response && browser.page().url() === before) {
				throw new Error('There is no page before this one.');
			}
			return 'Went back.';
		},
	}),

	wait: tool(z.object({ seconds: SECONDS, note: NOTE }), {
		description: `Waits for a page that needs time, ${MAX_WAIT_SECONDS} seconds at most.`,
		describe: ({ seconds }) => `Waited ${seconds} s`,
		act: async ({ seconds }, { signal }) => {
			await sleep(seconds * 1000, signal);
			return `Waited ${seconds} s.`;
		},
	}),

	find: tool(
		z.object({ text: z.string().describe('A word or a few, as on the page.'), note: NOTE }),
		{
			description: 'Searches all of the page, also where it was cut, and shows what is around it.',
			describe: ({ text }) => `Searched the page for ${JSON.stringify(text)}`,
			act: async ({ text }, { view }) => fence('found', findInOutline(view.outline, text)),
		},
	),

	done: tool(
		z.object({
			// Models that are asked for JSON may give it as data.
			output: z
				.preprocess(
					(value) => (typeof value === 'string' ? value : JSON.stringify(value)),
					z.string(),
				)
				.describe('The answer, in the form that the task asks for.'),
		}),
		{
			description: 'Ends the task with its answer.',
			describe: () => 'Finished',
			act: async () => '',
		},
	),

	give_up: tool(z.object({ reason: z.string().describe('What the user should know.') }), {
		description: 'Ends the task as one that can not be done.',
		describe: ({ reason }) => `Gave up: ${reason}`,
		act: async () => '',
	}),
};

/** Opens an address of the web. Throws when it is none, or can't be reached. */
export async function navigate(page: Page, address: string, signal: AbortSignal): Promise<string> {
	const url = toWebAddress(address);
	if (!url) {
		throw new Error(`Refused: only http and https addresses can be opened, not ${address}`);
	}
	let response;
	try {
		response = await page.goto(url, {
			waitUntil: 'commit',
			timeout: NAVIGATION_LIMIT_MS,
			signal,
		});
	} catch (error) {
		signal.throwIfAborted();
		if (String(error).includes('Download is starting')) {
			return `${url} is a file: its download has begun.`;
		}
		throw error;
	}
	const status = response?.status() ?? 0;
	return status < 400
		? `Opened ${url}.`
		: `Opened ${url}: the site answered with status ${status}.`;
}

/** The address in full, or undefined when it is not one of the web. */
export function toWebAddress(address: string): string | undefined {
	const text = address.trim();
	// 'example.com:8080/a' would be an address with the scheme 'example.com:'.
	const full = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(text) ? text : `https://${text}`;
	if (!URL.canParse(full)) return undefined;
	const url = new URL(full);
	return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

function named(ref: string, view: PageView): string {
	return describeElement(view, ref) ?? `element ${ref}`;
}

async function find(page: Page, ref: string, signal: AbortSignal): Promise<Locator> {
	const element = page.getByRef(ref);
	// An action would wait for it until its limit.
	const count = await limited(ACTION_LIMIT_MS, element.count(), signal);
	if (count === 0) throw new Error(`There is no element ${ref} on this page (any more).`);
	return element;
}

/**
 * Fills in a secret. Returns false if the element is not in a frame of the secret's host. Throws
 * when it is no field for the secret.
 *
 * Whether it is in such a frame can't be asked of the element, which lies if its page does: the
 * value is set by code that runs in the frame, into which no element of another page gets. And it
 * is not typed: a page around the frame could take the focus meanwhile.
 */
async function fillSecretly(
	element: Locator,
	secret: Secret,
	{ browser, passwords, signal }: Pick<Scene, 'browser' | 'passwords' | 'signal'>,
): Promise<boolean> {
	const options = { timeout: ACTION_LIMIT_MS, signal };
	const handle = await limited(ACTION_LIMIT_MS, element.elementHandle(options), signal);
	const value = secret.value();
	for (const frame of browser.page().frames()) {
		if (!isFor(secret, frame.url())) continue;
		const setting = frame.evaluate(setSecret, { field: handle, value, isCode: secret.isCode });
		// The element of another document doesn't get into the frame.
		const set = await limited(
			ACTION_LIMIT_MS,
			setting.catch(() => undefined),
			signal,
		);
		if (!set) continue;
		if ('problem' in set) throw new Error(set.problem);
		passwords.addSecret(secret, value);
		// A field may put spaces into a code.
		if (set.value.length >= value.length) passwords.addSecret(secret, set.value);
		return true;
	}
	return false;
}

/** Runs in the frame. */
function setSecret({
	field,
	value,
	isCode,
}: {
	field: unknown;
	value: string;
	isCode: boolean;
}): { problem: string } | { value: string } {
	const input = field as {
		localName: string;
		type: string;
		value: string;
		ownerDocument: unknown;
		focus(): void;
		dispatchEvent(event: unknown): void;
	};
	const page = globalThis as unknown as {
		document: unknown;
		HTMLInputElement: { prototype: object };
		Event: new (type: string, options: object) => unknown;
	};
	if (input.localName !== 'input' || input.ownerDocument !== page.document) {
		return { problem: 'A secret can be typed into an input field only.' };
	}
	if (!isCode && input.type !== 'password') {
		return { problem: 'This secret can be typed into a password field only.' };
	}
	// Past what a framework has put in front of it, so that the framework sees a change.
	const { set } = Object.getOwnPropertyDescriptor(page.HTMLInputElement.prototype, 'value') ?? {};
	input.focus();
	set?.call(input, value);
	for (const type of ['input', 'change']) {
		input.dispatchEvent(new page.Event(type, { bubbles: true, composed: true }));
	}
	return { value: input.value };
}

async function isPassword(element: Locator, signal: AbortSignal): Promise<boolean> {
	const type = await element.getAttribute('type', { timeout: ACTION_LIMIT_MS, signal });
	return type?.toLowerCase() === 'password';
}

async function limited<T>(ms: number, promise: Promise<T>, signal: AbortSignal): Promise<T> {
	return await untilAborted(within(ms, promise), signal);
}

/** Why an element does not take an action, as Playwright's log says it, and in words. */
const REASONS: [RegExp, string][] = [
	[/intercepts pointer events/, 'another element covers it'],
	[/is not visible/, 'it is not visible'],
	[/is not enabled/, 'it is disabled'],
	[/is not editable/, 'it is read-only'],
	[/is not stable/, 'it does not stop moving'],
	[/did not find some options/, 'it has no such option'],
];

/**
 * What went wrong in an action, in one line and without words of the page: Playwright's errors have
 * many lines, with a log that quotes elements. `hide` comes before the cut, which could leave the
 * beginning of a password.
 */
export function toErrorLine(error: unknown, hide = (text: string) => text): string {
	const message = error instanceof Error ? error.message : String(error);
	const first = (message.split('\n')[0] ?? '').replace(
		/^(?:locator|elementHandle|page|keyboard)\.\w+: /,
		'',
	);
	const [, reason] = REASONS.find(([pattern]) => pattern.test(message)) ?? [];
	const line = hide(reason ? `${first.replace(/\.$/, '')}: ${reason}.` : first);
	return line.length > MAX_ERROR_CHARACTERS ? `${line.slice(0, MAX_ERROR_CHARACTERS)}…` : line;
}
