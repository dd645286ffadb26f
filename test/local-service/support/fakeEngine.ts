import type { AgentTask } from '../../../local-service/agent/runAgent';
import type { BrowserRequest } from '../../../local-service/browser/openBrowser';
import type { Engine } from '../../../local-service/startService';
import { deferred, type Deferred } from './deferred';
import { FakeBrowser } from './FakeBrowser';

/** Browser and agent of a service that a test plays, without Chromium and model. */
export class FakeEngine implements Engine {
	readonly requests: BrowserRequest[] = [];
	readonly browsers: FakeBrowser[] = [];
	/** Labels of the models that were asked for. */
	readonly models: string[] = [];
	readonly tasks: AgentTask[] = [];
	readonly ends: Deferred<unknown>[] = [];
	/** Answers each task; unset: a test ends it by `ends`. */
	answer: ((task: AgentTask) => Promise<unknown>) | undefined;
	/** What a text is mapped to. */
	mapped: Record<string, string> = {};

	checkChromium = async () => {};

	openBrowser = async (request: BrowserRequest) => {
		this.requests.push(request);
		const address = 'ws://127.0.0.1:9001/devtools/browser/1';
		const browser = new FakeBrowser(request.keepOpen ? address : undefined);
		this.browsers.push(browser);
		return browser;
	};

	createModel: Engine['createModel'] = ({ label }) => {
		this.models.push(label);
		return { label, converse: () => ({}) as never };
	};

	runAgent = async (task: AgentTask) => {
		this.tasks.push(task);
		if (this.answer) return await this.answer(task);
		const end = deferred<unknown>();
		this.ends.push(end);
		return await end.promise;
	};

	mapPayload = async () => this.mapped;
}
