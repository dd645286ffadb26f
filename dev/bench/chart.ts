import type { Bar, Chart } from './Bench';

const WIDTH = 720;
const NAME_WIDTH = 190;
const LABEL_WIDTH = 80;
const MARGIN = 20;
const BAR_HEIGHT = 18;
const ROW_HEIGHT = 26;
const GROUP_HEAD_HEIGHT = 30;
const HEAD_HEIGHT = 62;

// The background changes with the text, so that both can be read wherever the picture is shown.
const STYLE = `
	text { font: 13px system-ui, sans-serif; fill: #1f2328; }
	.card { fill: #ffffff; stroke: #d1d9e0; }
	.title { font-size: 16px; font-weight: 600; }
	.subtitle { fill: #59636e; }
	.group { font-weight: 600; }
	.bar { fill: #8c959f; }
	.first { fill: #0969da; }
	@media (prefers-color-scheme: dark) {
		text { fill: #f0f6fc; }
		.card { fill: #0d1117; stroke: #3d444d; }
		.subtitle { fill: #9198a1; }
		.bar { fill: #6e7681; }
		.first { fill: #4493f8; }
	}
`;

/** Draws a chart. The first bar of each group stands out. */
export function toSvg({ title, subtitle, groups }: Chart): string {
	const longest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
	const pixels = (WIDTH - NAME_WIDTH - LABEL_WIDTH - 2 * MARGIN) / longest;
	const lines: string[] = [];
	let top = HEAD_HEIGHT;
	for (const { name, bars } of groups) {
		lines.push(toText(MARGIN, top + 20, name, 'group'));
		top += GROUP_HEAD_HEIGHT;
		bars.forEach((bar, index) => {
			lines.push(...toBar(bar, { top, pixels, isFirst: index === 0 }));
			top += ROW_HEIGHT;
		});
	}
	const height = top + MARGIN;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
		`<title>${title}</title>`,
		`<style>${STYLE}</style>`,
		`<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
		toText(MARGIN, 30, title, 'title'),
		toText(MARGIN, 50, subtitle, 'subtitle'),
		...lines,
		'</svg>',
		'',
	].join('\n');
}

function toBar(
	{ name, value, label }: Bar,
	{ top, pixels, isFirst }: { top: number; pixels: number; isFirst: boolean },
): string[] {
	const left = MARGIN + NAME_WIDTH;
	const width = Math.max(1, Math.round(value * pixels));
	const baseline = top + 14;
	return [
		toText(MARGIN, baseline, name),
		`<rect class="${isFirst ? 'first' : 'bar'}" x="${left}" y="${top}" width="${width}" height="${BAR_HEIGHT}" rx="2"/>`,
		toText(left + width + 8, baseline, label),
	];
}

function toText(x: number, y: number, text: string, className?: string): string {
	const attribute = className === undefined ? '' : ` class="${className}"`;
	return `<text${attribute} x="${x}" y="${y}">${text}</text>`;
}
