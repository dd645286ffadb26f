import { untilAborted } from '../abort';
import type { JobBrowser } from '../browser/JobBrowser';
import { JobFailure } from '../JobFailure';
import type { Settings } from '../settings';
import { isFor, placeholder, type Secret } from '../secrets';
import { collectNotices } from './collectNotices';
import { countRepeats } from './countRepeats';
import type { AgentModel, Answer } from './model';
import { type PageView, readPage, toMessage } from './PageView';
import { Passwords } from './Passwords';
import { INSTRUCTIONS } from './prompt';
import { settled } from './settle';
import type { Step } from './Step';
import { navigate, toErrorLine, TOOLS } from './tools';

/** What the agent is to do, and with what. */
export interface AgentTask {
	directive: string;
	/** An http or https address. Without one, the agent begins with the page that the tab has. */
	initialUrl?: string;
	browser: JobBrowser;
	model: AgentModel;
	/** All secrets are hidden from the model and the history. */
	settings: Pick<Settings, 'agentMaxSteps' | 'modelMaxCharacters' | 'secrets'>;
	/** Those of them that may be filled in, each on its host. */
	secrets: Secret[];
	/** Aborted when the job ends: the reason is thrown. */
	signal: AbortSignal;
	/**
	 * Resolves when the agent may act: at once while the job is running, later while it is paused or
	 * a person has taken over. `wasHeld` says whether that has been so since the last call, and
	 * `takenOver` whether a person had the browser.
	 */
	mayAct(): Promise<{ wasHeld: boolean; takenOver: boolean }>;
	/**
	 * Charges a step: an answer of the model has come, and nothing has been done yet. Throws a
	 * JobFailure when there are no credits left.
	 */
	charge(usage: Answer['usage']): void;
	/** Enters a step that is over. */
	record(step: Step): void;
}

/** What was done, and what came of it. */
interface Outcome {
	tool: string;
	/** In words, for the history. */
	action: string;
	/** For the model. */
	result: string;
	/** Why it did not work, for the history. */
	error?: string;
	/** Whether the model says that the task is over. */
	isEnd?: boolean;
}

/** After so many answers in a row without an action, the job fails. */
const MAX_IDLE_ANSWERS = 3;

/** After how many equal actions in a row without an effect the model is warned. */
const TOLD_REPEATS = 3;
/** After how many of them the job fails. */
const MAX_REPEATS = 5;

/** Maximum length of each field of a step that a model or a page has written. */
const MAX_RECORDED_CHARACTERS = 2000;

/**
 * Runs the agent until the model says that the task is done, and returns its answer. In each round
 * the model sees the page and answers with one action, the answer is charged, the action is carried
 * out, and what came of it is told with the next page. What goes wrong in the browser is told, too,
 * and does not end the loop.
 *
 * Throws a JobFailure when the model gives up, does not act, repeats itself or reaches the maximum
 * of steps, and when it or the browser fails. Throws the signal's reason when the job ends before.
 */
export async function runAgent(task: AgentTask): Promise<unknown> {
	const { browser, model, settings } = task;
	const signal = AbortSignal.any([task.signal, browser.gone]);
	const passwords = new Passwords(settings.secrets);
	const notices = collectNotices(browser);
	const countRepeated = countRepeats();
	const conversation = model.converse(INSTRUCTIONS, task.directive, TOOLS);
	let idleAnswers = 0;

	try {
		await untilAborted(task.mayAct(), signal);
		let { view, news } = await openInitialUrl();

		for (let number = 1; number <= settings.agentMaxSteps; number++) {
			const { wasHeld, takenOver } = await untilAborted(task.mayAct(), signal);
			if (takenOver) news.push('A person has used the browser meanwhile.');
			// Hours may have passed.
			if (wasHeld) view = await readPage(browser.page(), passwords, signal);

			const begun = performance.now();
			const message = toMessage(view, [...news, ...secretsHere()], settings.modelMaxCharacters);
			const answer = await conversation.ask(message, signal);
			task.charge(answer.usage);

			const outcome = await carryOut(answer, view);
			if (outcome.isEnd) return await end(number, begun, outcome, answer, view);
			conversation.tell(outcome.result);
			({ view, news } = await look(number, begun, outcome, answer));

			idleAnswers = answer.call ? 0 : idleAnswers + 1;
			if (idleAnswers === MAX_IDLE_ANSWERS) {
				throw new JobFailure(
					`The model ${model.label} does not call tools as it should: ${MAX_IDLE_ANSWERS} times in a ` +
						`row it ${answer.problem}`,
				);
			}
			const repeated = countRepeated(answer, view);
			if (repeated === MAX_REPEATS) {
				throw new JobFailure(
					`The agent did the same ${MAX_REPEATS} times in a row without effect: ${recorded(outcome.action)}`,
				);
			}
			if (repeated >= TOLD_REPEATS) {
				news.push(`You did the same ${repeated} times without effect. Try another way.`);
			}
		}
		throw new JobFailure(
			`The agent reached its maximum of ${settings.agentMaxSteps} steps (AGENT_MAX_STEPS)`,
		);
	} finally {
		notices.stop();
	}

	async function openInitialUrl() {
		const { initialUrl: url } = task;
		if (url === undefined)
			return { view: await readPage(browser.page(), passwords, signal), news: [] };

		const begun = performance.now();
		const outcome = await attempt(
			'navigate',
			`Opened ${url}`,
			async () => await navigate(browser.page(), url, signal),
		);
		const { view, news } = await look(0, begun, outcome);
		return { view, news: [outcome.result, ...news] };
	}

	async function carryOut(answer: Answer, view: PageView): Promise<Outcome> {
		const { call, problem } = answer;
		if (!call) {
			return {
				tool: '',
				action: `The model ${problem}`,
				result: 'Nothing was done. Call exactly one of the tools.',
			};
		}

		const tool = TOOLS[call.tool]!;
		const action = tool.describe(call.input as never, view);
		// A pause that has begun meanwhile holds the action back.
		if ((await untilAborted(task.mayAct(), signal)).takenOver) {
			const result = 'Not carried out: a person has used the browser. Look at the page again.';
			const error = 'A person had taken over';
			return { tool: call.tool, action: `Not carried out: ${action}`, result, error };
		}
		if (call.tool === 'done' || call.tool === 'give_up') {
			return { tool: call.tool, action, result: '', isEnd: true };
		}
		return await attempt(
			call.tool,
			action,
			async () =>
				await tool.act(call.input as never, {
					browser,
					view,
					passwords,
					secrets: task.secrets,
					signal,
				}),
		);
	}

	/** The names of the secrets that can be typed in the page as it is now, or in its frames. */
	function secretsHere(): string[] {
		const frames = browser.page().frames();
		const names = task.secrets
			.filter((secret) => frames.some((frame) => isFor(secret, frame.url())))
			.map((secret) => `${placeholder(secret)} (${secret.host})`);
		return names.length === 0 ? [] : [`Secrets that you can type here: ${names.join(', ')}`];
	}

	/** As it may be shown and kept. */
	function recorded(text: string): string {
		return passwords.hide(text).slice(0, MAX_RECORDED_CHARACTERS);
	}

	/** Carries out an action, lets the page come to rest, and puts into words what goes wrong. */
	async function attempt(
		tool: string,
		action: string,
		act: () => Promise<string>,
	): Promise<Outcome> {
		try {
			return { tool, action, result: passwords.hide(await settled(browser, act, signal)) };
		} catch (thrown) {
			signal.throwIfAborted();
			const error = toErrorLine(thrown, (text) => passwords.hide(text));
			return { tool, action, result: `This did not work: ${error}`, error };
		}
	}

	/** Ends a step: reads the page as it is now, and enters the step. */
	async function look(number: number, begun: number, outcome: Outcome, answer?: Answer) {
		const [view, screenshot] = await Promise.all([
			readPage(browser.page(), passwords, signal),
			untilAborted(browser.screenshot(), signal),
		]);
		const lines = enter(number, begun, outcome, view, answer, screenshot);
		return { view, news: lines.map((line) => `Notice: ${line}`) };
	}

	async function end(
		number: number,
		begun: number,
		outcome: Outcome,
		answer: Answer,
		view: PageView,
	) {
		const screenshot = await untilAborted(browser.screenshot(), signal);
		enter(number, begun, outcome, view, answer, screenshot);
		const { tool, input } = answer.call!;
		if (tool === 'give_up') {
			throw new JobFailure(`The agent gave up: ${recorded(String(input.reason))}`);
		}
		// The tool's schema makes a text of it.
		return passwords.hide(String(input.output));
	}

	/** Enters a step, with the notices since the one before, which it returns. */
	function enter(
		number: number,
		begun: number,
		{ tool, action, error }: Outcome,
		{ address }: PageView,
		answer?: Answer,
		screenshot?: Buffer,
	): string[] {
		const lines = notices.take().map(recorded);
		const note = answer?.call?.input.note;
		task.record({
			number,
			at: new Date().toISOString(),
			tool,
			action: recorded(action),
			address,
			note: typeof note === 'string' ? recorded(note) : undefined,
			error: error === undefined ? undefined : recorded(error),
			notices: lines,
			screenshot,
			ms: Math.round(performance.now() - begun),
			...answer?.usage,
			model: model.label,
		});
		return lines;
	}
}
