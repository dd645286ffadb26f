import type { Keyboard, Page } from 'playwright-core';

import { within } from '../abort';
import type { PersonInput } from './JobBrowser';
import type { Tabs } from './Tabs';

/** A page that is busy does not take it. */
const LIMIT_MS = 5000;

/** Returns the function that enters what a person does in the tab in front, in its order. */
export function enterInput(tabs: Tabs): (event: PersonInput) => Promise<void> {
	let last: Promise<void> = Promise.resolve();

	return async (event) => {
		const entered = last.then(async () => await within(LIMIT_MS, enter(tabs.page(), event)));
		last = entered.catch(() => {});
		await entered;
	};
}

async function enter({ mouse, keyboard }: Page, event: PersonInput): Promise<void> {
	switch (event.type) {
		case 'move':
			return await mouse.move(event.x, event.y);
		case 'down':
			await mouse.move(event.x, event.y);
			return await mouse.down({ button: event.button });
		case 'up':
			await mouse.move(event.x, event.y);
			return await mouse.up({ button: event.button });
		case 'wheel':
			await mouse.move(event.x, event.y);
			return await mouse.wheel(event.deltaX, event.deltaY);
		case 'key':
			return await press(keyboard, event.key);
		case 'text':
			return await keyboard.insertText(event.text);
	}
}

/** Playwright knows the keys of an American keyboard. Other characters are entered as text. */
async function press(keyboard: Keyboard, key: string): Promise<void> {
	try {
		await keyboard.press(key);
	} catch (error) {
		if ([...key].length !== 1 || !/Unknown key/.test(String(error))) throw error;
		await keyboard.insertText(key);
	}
}
