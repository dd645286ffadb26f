import { Redactor } from '../../../nodes/service/redact';
import type { Row } from '../Bench';
import { toTable } from '../results';

const BROWSERS = 10_000;
const CHARACTERS = 500;
const TIMES = 2_000;
const ROUNDS = 5;

const SENTENCE = 'Job job_1a2b3c failed: https://shop.example.com/lamps?page=2 did not load. ';
const ADDRESS = 'https://browsers.example.com/s/';

export const redaction: Row = {
	name: 'redaction',
	title: 'A text redacted among 10,000 known browsers',

	async run({ isQuick }) {
		const redactor = new Redactor('sk-live-0123456789abcdef');
		for (let browser = 0; browser < BROWSERS; browser++) {
			redactor.addCdpUrl(`${ADDRESS}${browser}?token=5e6f7a8b9c0d1e2f${browser}`);
		}
		const times = isQuick ? TIMES / 10 : TIMES;
		const texts = {
			'a text': SENTENCE.repeat(10),
			'a single address of many parts': `${ADDRESS}${'p/'.repeat(CHARACTERS)}`,
			'many addresses': 'http://a.b/c '.repeat(CHARACTERS),
		};
		const checks = Object.entries(texts).map(([figureOf, text]) => ({
			figureOf,
			value: msFor(times, () => redactor.redact(text.slice(0, CHARACTERS))),
			atMost: 0.2,
			unit: ' ms',
			isAbsolute: true,
		}));
		return await Promise.resolve({
			summary: [],
			checks,
			table: toTable(checks),
			notes: `Of ${CHARACTERS} characters each, the fastest of ${ROUNDS} rounds.`,
		});
	},
};

/** How long one call of `task` takes, in ms, in the round that other work has disturbed least. */
function msFor(times: number, task: () => void): number {
	const rounds = Array.from({ length: ROUNDS }, () => {
		const start = performance.now();
		for (let time = 0; time < times; time++) task();
		return (performance.now() - start) / times;
	});
	return Math.min(...rounds);
}
