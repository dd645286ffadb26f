import { z } from 'zod';

import type { PersonInput } from '../browser/JobBrowser';

const MAX_EVENTS = 200;
const MAX_TEXT_LENGTH = 100_000;
const MAX_PIXELS = 10_000;

const pixels = z.number().min(0).max(MAX_PIXELS);
const distance = z.number().min(-MAX_PIXELS).max(MAX_PIXELS);
const position = { x: pixels, y: pixels };
const button = z.enum(['left', 'middle', 'right']).optional();

const personInputSchema = z.discriminatedUnion('type', [
	z.strictObject({ type: z.literal('move'), ...position }),
	z.strictObject({ type: z.literal('down'), ...position, button }),
	z.strictObject({ type: z.literal('up'), ...position, button }),
	z.strictObject({ type: z.literal('wheel'), ...position, deltaX: distance, deltaY: distance }),
	z.strictObject({ type: z.literal('key'), key: z.string().min(1).max(50) }),
	z.strictObject({ type: z.literal('text'), text: z.string().max(MAX_TEXT_LENGTH) }),
]);

const eventsSchema = z.strictObject({ events: z.array(personInputSchema).max(MAX_EVENTS) });

/** Reads what the script of the live view sends; `undefined` if it is anything else. */
export function readInput(body: unknown): PersonInput[] | undefined {
	return eventsSchema.safeParse(body).data?.events;
}
