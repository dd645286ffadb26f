import express, { type ErrorRequestHandler, type Response } from 'express';

import { errorReply } from './reply';
import {
	answerWithoutOperation,
	receiveRequest,
	type RequestContext,
	runOperation,
	toAnswer,
} from './answerRequest';
import { validationReply } from './validationReplies';
import type { SandboxState } from '../dev/sandbox/state/SandboxState';
import { openApiValidators } from './openApiValidators';
import { sendAnswer } from '../dev/sandbox/faults/sendAnswer';

interface ServiceApiOptions {
	/** The current state, which changes with a reset. */
	getState(): SandboxState;
	/** The service's address, without a trailing slash. */
	url(): string;
	/** The address of the files, without a trailing slash. */
	filesUrl(): string;
}

const MAX_BODY_SIZE = '20mb';

/** Serves the document's endpoints, and checks requests against it. */
export function createServiceApi({ getState, url, filesUrl }: ServiceApiOptions): express.Express {
	const app = express();
	app.set('etag', false);
	app.set('x-powered-by', false);
	app.set('query parser', 'simple');

	app.use((request, response, next) => {
		response.locals.context = receiveRequest(getState(), request);
		response.on('error', () => response.destroy());
		next();
	});

	app.use(express.text({ type: () => true, limit: MAX_BODY_SIZE }));

	app.use(async (request, response, next) => {
		const context = contextOf(response);
		if (typeof request.body === 'string') context.logEntry.rawBody = request.body;
		const answer = answerWithoutOperation(context);
		if (answer) return await sendAnswer(context, response, answer);
		// A copy, since the validator adds default values to it.
		request.body = structuredClone(context.body);
		next();
	});

	app.use(openApiValidators());

	app.use(async (_request, response) => {
		const context = contextOf(response);
		const reply = runOperation(context, { url: url(), filesUrl: filesUrl() });
		await sendAnswer(context, response, toAnswer(context, reply));
	});

	app.use(handleError);
	return app;
}

function contextOf(response: Response): RequestContext {
	return response.locals.context as RequestContext;
}

const handleError: ErrorRequestHandler = async (error, _request, response, _next) => {
	const { status = 500, errors = [], message } = error;
	const isInvalid = status === 400 || status === 415;
	const reply = isInvalid ? validationReply(errors) : errorReply(status, String(message));
	const context = contextOf(response);
	await sendAnswer(context, response, toAnswer(context, reply));
};
