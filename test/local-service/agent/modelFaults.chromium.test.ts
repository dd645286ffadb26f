import { type AddressInfo, createServer } from 'node:net';

import { Agent } from 'undici';

import { createModel } from '../../../local-service/agent/model';
import { runTask } from '../support/runTask';
import { useBrowser } from '../support/useBrowser';
import { type ModelAction, refOf, type Script, useModelServer } from '../support/useModelServer';
import { useShop } from '../support/useShop';

const shop = useShop();
const model = useModelServer();
const test = useBrowser(() => ({ allowedHosts: [shop.host] }));

const DONE: ModelAction = { call: 'done', input: { output: 'The answer' } };
const KEY = 'sk-local-0123456789';

async function run(script: Script | ModelAction[], settings: Partial<typeof test.settings> = {}) {
	model.does(script);
	return await runTask(
		{ browser: test.browser, settings: { ...test.settings, ...settings } },
		model,
		{ initialUrl: shop.url },
	);
}

function host(): string {
	return new URL(model.url).host;
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** The results of calls that the model was told with its last request. */
function lastResults(): unknown[] {
	const { messages } = JSON.parse(model.arrivals.at(-1)?.body ?? '{}') as {
		messages: { role: string; content: string; tool_call_id: string }[];
	};
	return messages
		.filter(({ role }) => role === 'tool')
		.map(({ tool_call_id, content }) => [tool_call_id, content]);
}

describe('A model that refuses', () => {
	it('the API key ends the job at once, without the key in its error', async () => {
		const message = `Incorrect API key provided: ${KEY}. Find yours on our pages.`;
		const end = await run([{ status: 401, body: { error: { message } } }]);

		expect(end.error).toBe(
			`The model at ${host()} refused the API key (401): Incorrect API key provided: (API key). ` +
				'Find yours on our pages.',
		);
		expect(model.arrivals).toHaveLength(1);
		expect(end.charges).toBe(0);
	});

	it.each([
		[403, 'refused the API key (403)'],
		[402, 'asks for payment (402)'],
		[404, "does not know 'scripted' or this address (404)"],
		[400, 'refused the request (400)'],
	])('with %d ends the job at once', async (status, words) => {
		const end = await run([{ status, body: 'Plain text' }]);

		expect(end.error).toBe(`The model at ${host()} ${words}: Plain text`);
		expect(model.arrivals).toHaveLength(1);
	});

	it('with a redirect ends the job: pages go to the server that was chosen only', async () => {
		const elsewhere = { status: 307, headers: { location: `${model.url}/elsewhere` }, body: '' };
		const end = await run([elsewhere, DONE]);

		expect(end.error).toMatch(/^The model at .* \(307\)/);
		expect(model.arrivals).toHaveLength(1);
	});

	it('with 429 and Retry-After 3 is asked again after that', async () => {
		const end = await run([{ status: 429, headers: { 'retry-after': '3' }, body: {} }, DONE]);

		expect(end.output).toBe('The answer');
		expect(end.charges).toBe(1);
	});

	it('with 429 and Retry-After 90 is asked twice again, then the job fails', async () => {
		const end = await run(() => ({
			status: 429,
			headers: { 'retry-after': '90' },
			body: { error: { message: 'Rate limit reached' } },
		}));

		expect(end.error).toBe(
			`The model at ${host()} takes no more requests at the moment (429): Rate limit reached`,
		);
		expect(model.arrivals).toHaveLength(3);
	});
});

describe('A model that fails', () => {
	it('with 500 is asked twice again, then the job fails', async () => {
		const page = `<html>\u0007${'x'.repeat(1000)}</html>`;
		const end = await run(() => ({ status: 500, body: page }));

		expect(end.error).toBe(`The model at ${host()} failed (500): <html> ${'x'.repeat(293)}…`);
		expect(model.arrivals).toHaveLength(3);
	});

	it('with a page in place of an answer ends the job', async () => {
		const end = await run([{ status: 200, body: '<html>Welcome</html>' }]);

		expect(end.error).toBe(
			`The model at ${host()} gave an answer that can't be read (200): <html>Welcome</html>`,
		);
	});

	it('with JSON of another form ends the job', async () => {
		const end = await run([{ status: 200, body: { hello: 'world' } }]);

		expect(end.error).toMatch(/gave an answer that can't be read \(200\): \{"hello":"world"\}$/);
	});

	it('to answer in time ends the job', async () => {
		const end = await run(() => 'silence', { modelTimeoutMinutes: 0.02 });

		expect(end.error).toBe(
			`The model at ${host()} did not answer within 0.02 minutes (MODEL_TIMEOUT_MINUTES)`,
		);
	});

	it('to be there ends the job', async () => {
		const port = await closedPort();
		const modelUrls = { local: `http://127.0.0.1:${port}/v1` };
		const settings = { ...test.settings, ...model.settings(), modelUrls };
		const end = await runTask(test, model, { model: createModel(model.choice, settings) });

		expect(end.error).toBe(
			`The model at 127.0.0.1:${port} can't be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
		);
	});

	it('to answer while the job ends is left at once', async () => {
		const ending = new AbortController();
		model.does(() => {
			ending.abort(new Error('The job has reached its maximum duration'));
			return 'silence';
		});
		const end = await runTask(test, model, { signal: ending.signal });

		expect(end.error).toBe('The job has reached its maximum duration');
	});
});

describe("A model's patience", () => {
	const slowOnce: Script = async ({ number }) => {
		if (number === 1) await new Promise((resolve) => setTimeout(resolve, 2500));
		return DONE;
	};

	async function runWith(dispatcher?: Agent) {
		model.does(slowOnce);
		const settings = { ...test.settings, ...model.settings() };
		const end = await runTask(test, model, {
			model: createModel(model.choice, settings, dispatcher),
		});
		return { output: end.output, requests: model.arrivals.length };
	}

	it('is as long as the step may take', async () => {
		expect(await runWith()).toEqual({ output: 'The answer', requests: 1 });
	});

	it("would end at fetch's own limit, and the model be asked again", async () => {
		const impatient = new Agent({ headersTimeout: 1000 });

		expect(await runWith(impatient)).toEqual({ output: 'The answer', requests: 2 });
	});
});

describe('A model that does not act as it is told', () => {
	it('talks three times, and the job fails; each answer is charged', async () => {
		const end = await run(() => ({ text: 'I would click on the hammer.' }));

		expect(end.error).toBe(
			'The model local/scripted does not call tools as it should: 3 times in a row it answered ' +
				'without an action',
		);
		expect(end.charges).toBe(3);
		expect(model.arrivals.at(-1)?.body).toContain('Call exactly one of the tools');
	});

	it('may talk between its actions', async () => {
		const end = await run(({ number, page }) => {
			if (number === 5) return DONE;
			if (number === 3) return { call: 'click', input: { ref: refOf(page, 'Hammer') } };
			return { text: 'Let me think.' };
		});

		expect(end.output).toBe('The answer');
	});

	it.each(['run_code', 'constructor', '__proto__'])(
		'is told that the tool %s is unknown',
		async (name) => {
			const end = await run([{ call: name, input: { code: 'x' } }, DONE]);

			expect(end.output).toBe('The answer');
			expect(end.steps[1]).toMatchObject({
				tool: '',
				action: `The model asked for the unknown tool '${name}'`,
			});
			expect(lastResults()).toEqual([['call-1-0', expect.stringContaining(name)]]);
		},
	);

	it('is told that its arguments are wrong', async () => {
		const end = await run([{ call: 'click', input: { element: 'Hammer' } }, DONE]);

		expect(end.output).toBe('The answer');
		expect(end.steps[1]?.action).toBe("The model called 'click' with wrong arguments");
		expect(lastResults()).toEqual([['call-1-0', expect.stringContaining('ref')]]);
	});

	it('has the first of two calls carried out, and is told so', async () => {
		const end = await run(({ number, page }) => {
			if (number === 2) return DONE;
			const [hammer, saw] = [refOf(page, 'Hammer'), refOf(page, 'Saw')];
			return {
				calls: [
					{ call: 'click', input: { ref: hammer } },
					{ call: 'click', input: { ref: saw } },
				],
			};
		});

		expect(end.output).toBe('The answer');
		expect(shop.requests.filter((line) => line.includes('/items/'))).toEqual(['GET /items/1']);
		expect(lastResults()).toEqual([
			['call-1-0', 'Clicked link "Hammer".'],
			['call-1-1', 'Not carried out: one action at a time.'],
		]);
	});

	it('has nothing carried out when the first of two calls is wrong', async () => {
		const end = await run(({ number, page }) => {
			if (number === 2) return DONE;
			return {
				calls: [{ call: 'fly' }, { call: 'click', input: { ref: refOf(page, 'Saw') } }],
			};
		});

		expect(end.output).toBe('The answer');
		expect(shop.requests.filter((line) => line.includes('/items/'))).toEqual([]);
		expect(lastResults().map((result) => (result as string[])[0])).toEqual([
			'call-1-1',
			'call-1-0',
		]);
	});
});

/** An answer without an action, with a count of the prompt's tokens. */
function talk(promptTokens: number): ModelAction {
	return {
		status: 200,
		body: {
			id: 'a',
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hm' } }],
			usage: { prompt_tokens: promptTokens, completion_tokens: 5, total_tokens: promptTokens + 5 },
		},
	};
}

describe('A count of tokens', () => {
	it('that is far too small shows that the prompt was cut, and the job fails', async () => {
		shop.page(
			'/long',
			`<h1>Long</h1>${'<p>A paragraph about tools and their prices.</p>'.repeat(900)}`,
		);
		model.does(() => talk(4096));
		const end = await runTask(test, model, { initialUrl: `${shop.url}/long` });

		expect(end.error).toMatch(
			/was shown only 4096 tokens of a prompt of \d+ characters: .* set OLLAMA_CONTEXT_LENGTH=32768/,
		);
	});

	it('that is small is right for a page of lines, which are few tokens', async () => {
		shop.page('/lines', `<p>${'-'.repeat(50_000)}</p>`);
		model.does(() => talk(2500));
		const end = await runTask(test, model, { initialUrl: `${shop.url}/lines` });

		expect(end.error).toContain('does not call tools');
	});

	it('that is missing says nothing', async () => {
		model.counts = false;
		const end = await run([DONE]);

		expect(end.output).toBe('The answer');
		expect(end.steps[1]?.inputTokens).toBeUndefined();
	});
});

it('Three steps that end at AGENT_MAX_STEPS fail the job', async () => {
	const end = await run(
		({ number, page }) => ({
			call: 'find',
			input: { text: `${number}${page.length}` },
		}),
		{ agentMaxSteps: 3 },
	);

	expect(end.error).toBe('The agent reached its maximum of 3 steps (AGENT_MAX_STEPS)');
	expect(end.charges).toBe(3);
});
