import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
	APICallError,
	type FlexibleSchema,
	type GenerateTextResult,
	generateText,
	InvalidToolInputError,
	type LanguageModel,
	type ModelMessage,
	NoSuchToolError,
	RetryError,
	type Tool,
	type ToolResultPart,
	type ToolSet,
} from 'ai';
import {
	Agent,
	type Dispatcher,
	fetch as undiciFetch,
	type Response as UndiciResponse,
} from 'undici';
import type { ZodType } from 'zod';

import { JobFailure } from '../JobFailure';
import type { ModelChoice, Settings } from '../settings';

/** What the model may call: its name is the key under which it is handed over. */
export interface ToolDescription {
	description: string;
	input: ZodType;
}

/** What the model has answered: at most one call, which is to be carried out. */
export interface Answer {
	/** The first call, if its tool exists and its input fits. */
	call?: { tool: string; input: Record<string, unknown> };
	/** Why there is no call, in words for the job's history. */
	problem?: string;
	/** As counted by the model's server, which may not count at all. */
	usage: { inputTokens?: number; outputTokens?: number };
}

/** A model's conversation about one task. */
export interface Conversation {
	/**
	 * Asks for the next answer. The model sees its instructions, the task, its own answers with what
	 * came of them, and `page`, which replaces that of the question before.
	 *
	 * Throws the signal's reason when it is aborted, and a JobFailure when the model can't be
	 * reached, refuses, does not answer in time, or was shown only a part of the prompt.
	 */
	ask(page: string, signal: AbortSignal): Promise<Answer>;
	/** Enters what came of the last answer. Each answer needs it before the next question. */
	tell(result: string): void;
}

/** A model that the user has chosen. */
export interface AgentModel {
	/** `provider/name`, as in `MODELS`. */
	readonly label: string;
	/** Begins a conversation. `task` is what the user wants, in the user's words. */
	converse(
		instructions: string,
		task: string,
		tools: Record<string, ToolDescription>,
	): Conversation;
}

/** Beside the first try, and within the limit of time for a step. */
const MAX_RETRIES = 2;

/** More than the longest answer of any model. A server could send without end. */
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

const MAX_QUOTED_CHARACTERS = 300;

/** A shorter key protects nothing, and may be a word: Ollama's documentation says `ollama`. */
const MIN_SECRET_CHARACTERS = 8;

/**
 * No text has more characters than this for each token, so a prompt that has was cut. Of the same
 * character many times in a row, as in a line of dashes, only the first counts.
 */
const MAX_CHARACTERS_PER_TOKEN = 8;
const REPEATED = /(.)\1+/gs;

/** Node's own fetch gives up after 300 s without a header, and the SDK would ask again. */
const PATIENT = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

const PROVIDER_OPTIONS = {
	// Otherwise OpenAI keeps the pages, and answers organisations that keep nothing with 404.
	openai: { store: false, parallelToolCalls: false },
	anthropic: { disableParallelToolUse: true },
};

// The SDK would print what a provider does not support.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/**
 * Creates the client of a model. It connects at the first question. `dispatcher` sends the requests
 * of all models; without one, an answer may take as long as the step may.
 */
export function createModel(
	choice: ModelChoice,
	settings: Settings,
	dispatcher: Dispatcher = PATIENT,
): AgentModel {
	const url = settings.modelUrls[choice.provider];
	if (url === undefined) throw new Error(`There is no address for ${choice.label}`);

	const languageModel = createLanguageModel(choice, url, settings, dispatcher);
	const facts = {
		name: choice.name,
		host: new URL(url).host,
		keys: Object.values(settings.modelKeys).filter(
			(key) => key !== undefined && key.length >= MIN_SECRET_CHARACTERS,
		) as string[],
		timeoutMinutes: settings.modelTimeoutMinutes,
	};
	return {
		label: choice.label,
		converse: (instructions, task, tools) =>
			converse(languageModel, facts, { instructions, task, tools }),
	};
}

function createLanguageModel(
	{ provider, name }: ModelChoice,
	baseURL: string,
	{ modelKeys }: Settings,
	dispatcher: Dispatcher,
): LanguageModel {
	// A redirect would take pages to a server that nobody has chosen.
	const fetch = (async (input: string, init: object) =>
		limited(
			await undiciFetch(input, { ...init, dispatcher, redirect: 'manual' }),
		)) as unknown as typeof globalThis.fetch;
	const options = { baseURL, apiKey: modelKeys[provider], fetch };

	switch (provider) {
		case 'openai':
			return createOpenAI(options)(name);
		case 'anthropic':
			return createAnthropic(options)(name);
		case 'google':
			return createGoogleGenerativeAI(options)(name);
		case 'local':
			// The name is not sent. Under this one the SDK gives back the thought signatures of a Gemini
			// behind an OpenAI-compatible address, which refuses calls without them.
			return createOpenAICompatible({ ...options, name: 'google' })(name);
	}
}

/** The response, of which only so much can be read: also of one that was compressed. */
function limited(response: UndiciResponse): Response {
	let bytes = 0;
	const counting = new TransformStream<Uint8Array, Uint8Array>({
		transform(chunk, controller) {
			bytes += chunk.length;
			if (bytes <= MAX_ANSWER_BYTES) controller.enqueue(chunk);
			else controller.error(new Error(`more than ${MAX_ANSWER_BYTES / 2 ** 20} MB`));
		},
	});
	const { status, headers } = response;
	const body = (response.body as ReadableStream<Uint8Array> | null)?.pipeThrough(counting);
	return new Response(body, { status, headers: Object.fromEntries(headers) });
}

interface ModelFacts {
	name: string;
	host: string;
	/** Hidden in what the model's server says. */
	keys: string[];
	timeoutMinutes: number;
}

type ModelResult = GenerateTextResult<ToolSet, never>;

function converse(
	model: LanguageModel,
	facts: ModelFacts,
	{
		instructions,
		task,
		tools,
	}: { instructions: string; task: string; tools: Record<string, ToolDescription> },
): Conversation {
	// Without a prototype, so that there is no tool named 'constructor'.
	const toolSet = Object.create(null) as ToolSet;
	for (const [name, { description, input }] of Object.entries(tools)) {
		// The compiler can't infer a type from any schema, and none is needed.
		toolSet[name] = { description, inputSchema: input as unknown as FlexibleSchema } satisfies Tool;
	}
	const history: ModelMessage[] = [{ role: 'user', content: task }];
	let unanswered: ModelResult['toolCalls'] = [];

	return {
		async ask(page, signal) {
			signal.throwIfAborted();
			const timeout = AbortSignal.timeout(facts.timeoutMinutes * 60_000);
			let result: ModelResult;
			try {
				result = (await generateText({
					model,
					system: instructions,
					messages: [...history, { role: 'user', content: page }],
					tools: toolSet,
					providerOptions: PROVIDER_OPTIONS,
					maxRetries: MAX_RETRIES,
					abortSignal: AbortSignal.any([signal, timeout]),
				})) as ModelResult;
			} catch (error) {
				signal.throwIfAborted();
				throw timeout.aborted ? timeoutFailure(facts) : modelFailure(error, facts);
			}

			assertWhole(result, `${instructions}${task}${page}`, facts);
			history.push(...result.response.messages);
			unanswered = result.toolCalls.filter((call) => !hasResult(result, call.toolCallId));
			return toAnswer(result);
		},

		tell(text) {
			const [first, ...others] = unanswered;
			unanswered = [];
			const last = history.at(-1);
			// The SDK has entered the result of each call that is not valid.
			const invalid = last?.role === 'tool' ? last.content : [];
			if (!first) {
				if (invalid.length === 0) history.push({ role: 'user', content: text });
				return;
			}

			const results = [
				toolResult(first, text),
				...others.map((call) => toolResult(call, 'Not carried out: one action at a time.')),
			];
			// All results of one answer are one message: Google accepts no other form.
			if (invalid.length > 0) history.pop();
			history.push({ role: 'tool', content: [...results, ...invalid] });
		},
	};
}

function toolResult(
	{ toolCallId, toolName }: ModelResult['toolCalls'][number],
	value: string,
): ToolResultPart {
	return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } };
}

/** A call that the SDK finds invalid has its result among the answer's own messages. */
function hasResult({ response }: ModelResult, toolCallId: string): boolean {
	return response.messages.some(
		({ role, content }) =>
			role === 'tool' &&
			content.some((part) => part.type === 'tool-result' && part.toolCallId === toolCallId),
	);
}

function toAnswer({ toolCalls, usage: { inputTokens, outputTokens } }: ModelResult): Answer {
	const usage = { inputTokens, outputTokens };
	const [call] = toolCalls;
	if (!call) return { usage, problem: 'answered without an action' };
	if (!call.invalid) {
		return { usage, call: { tool: call.toolName, input: call.input as Record<string, unknown> } };
	}
	if (NoSuchToolError.isInstance(call.error)) {
		return { usage, problem: `asked for the unknown tool ${quoted(call.toolName)}` };
	}
	const reason = InvalidToolInputError.isInstance(call.error) ? ' with wrong arguments' : '';
	return { usage, problem: `called ${quoted(call.toolName)}${reason}` };
}

function quoted(text: string): string {
	return `'${oneLine(text).slice(0, 60)}'`;
}

/**
 * A server with a small context drops the front of the prompt and says nothing: with Ollama's 4,096
 * tokens the model reads the end of a page without knowing what for.
 */
function assertWhole({ usage }: ModelResult, prompt: string, { host }: ModelFacts): void {
	const { inputTokens = 0 } = usage;
	const counted = prompt.replace(REPEATED, '$1').length;
	if (inputTokens <= 0 || inputTokens >= counted / MAX_CHARACTERS_PER_TOKEN) return;
	throw new JobFailure(
		`The model at ${host} was shown only ${inputTokens} tokens of a prompt of ${prompt.length} ` +
			'characters: its context is too small. With Ollama, set OLLAMA_CONTEXT_LENGTH=32768; ' +
			'otherwise set MODEL_MAX_CHARACTERS lower',
	);
}

function timeoutFailure({ host, timeoutMinutes }: ModelFacts): JobFailure {
	const minutes = timeoutMinutes === 1 ? 'minute' : 'minutes';
	return new JobFailure(
		`The model at ${host} did not answer within ${timeoutMinutes} ${minutes} (MODEL_TIMEOUT_MINUTES)`,
	);
}

/**
 * What went wrong, in words. The SDK's errors carry the whole request, so nothing of them is kept
 * but the status and the beginning of the answer.
 */
function modelFailure(thrown: unknown, facts: ModelFacts): JobFailure {
	const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
	const { host, name } = facts;
	if (!APICallError.isInstance(error)) {
		// The SDK copies an answer recursively.
		const reason =
			error instanceof RangeError ? 'it is nested too deeply' : shown(messageOf(error), facts);
		return new JobFailure(`The model at ${host} gave an answer that can't be read: ${reason}`);
	}

	const { statusCode: status, responseBody } = error;
	if (status === undefined) {
		return new JobFailure(
			`The model at ${host} can't be reached: ${shown(connectionError(error), facts)}`,
		);
	}
	const happened = `The model at ${host} ${answered(status, name)} (${status})`;
	const quote = shown(readMessage(responseBody), facts);
	return new JobFailure(quote === '' ? happened : `${happened}: ${quote}`);
}

function answered(status: number, name: string): string {
	if (status < 300) return "gave an answer that can't be read";
	if (status === 401 || status === 403) return 'refused the API key';
	if (status === 402) return 'asks for payment';
	if (status === 404) return `does not know '${name}' or this address`;
	if (status === 429) return 'takes no more requests at the moment';
	return status < 500 ? 'refused the request' : 'failed';
}

/** Most servers wrap a sentence in JSON; others answer with text or a page. */
function readMessage(body = ''): string {
	try {
		const { error, message, detail } = JSON.parse(body) as Record<string, unknown>;
		const inner = typeof error === 'object' && error ? (error as { message?: unknown }) : undefined;
		const text = inner?.message ?? message ?? detail ?? error;
		return typeof text === 'string' ? text : body;
	} catch {
		return body;
	}
}

/** The innermost cause says most: 'connect ECONNREFUSED 127.0.0.1:11434'. */
function connectionError(error: Error): string {
	let innermost: Error = error;
	while (innermost.cause instanceof Error) innermost = innermost.cause;
	const { code } = innermost as NodeJS.ErrnoException;
	return innermost.message || code || innermost.name;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** On one line, without the models' keys, which providers repeat, and at most 300 characters. */
function shown(text: string, { keys }: ModelFacts): string {
	const hidden = keys.reduce((rest, key) => rest.replaceAll(key, '(API key)'), text);
	const line = oneLine(hidden);
	return line.length > MAX_QUOTED_CHARACTERS ? `${line.slice(0, MAX_QUOTED_CHARACTERS)}…` : line;
}

function oneLine(text: string): string {
	// oxlint-disable-next-line no-control-regex
	return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}
