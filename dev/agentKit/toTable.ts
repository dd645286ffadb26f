import type { Try } from './measureModels';

const TOTAL = '**total**';

/** The tries as a Markdown table: a row for each task, and a total for each model. */
export function toTable(tries: Try[]): string {
	const models = [...new Set(tries.map(({ model }) => model))];
	const rows = models.flatMap((model) => {
		const own = tries.filter((one) => one.model === model);
		const tasks = [...new Set(own.map(({ task }) => task))];
		return [
			...tasks.map((task) =>
				toRow(
					model,
					task,
					own.filter((one) => one.task === task),
				),
			),
			toRow(model, TOTAL, own),
		];
	});
	return [
		'| Model | Task | Solved | Steps | Tokens in + out | Seconds |',
		'| --- | --- | --- | --- | --- | --- |',
		...rows,
		'',
		'Steps, tokens and seconds are the mean of a try.',
	].join('\n');
}

function toRow(model: string, task: string, tries: Try[]): string {
	const solved = tries.filter(({ problem }) => problem === undefined).length;
	const mean = (value: (one: Try) => number) =>
		tries.reduce((sum, one) => sum + value(one), 0) / tries.length;
	const input = mean(({ inputTokens }) => inputTokens).toFixed(0);
	const output = mean(({ outputTokens }) => outputTokens).toFixed(0);
	const cells = [
		model.replaceAll('|', '\\|'),
		task,
		`${solved} of ${tries.length}`,
		mean(({ steps }) => steps).toFixed(1),
		`${input} + ${output}`,
		mean(({ seconds }) => seconds).toFixed(1),
	];
	return `| ${cells.join(' | ')} |`;
}
