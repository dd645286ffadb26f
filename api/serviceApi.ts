import type { IncomingMessage } from 'node:http';

import express, { type ErrorRequestHandler, type Response } from 'express';

import { admitRequest, receiveRequest, type RequestContext, runOperation } from './answerRequest';
import type { Backend } from './backend';
import { openApiValidators } from './openApiValidators';
import { type Reply, errorReply } from './reply';
import { sendReply } from './sendReply';
import { validationReply } from './validationReplies';

interface ServiceApiOptions {
	backend: Backend;
	/** The service's address for this client, without a trailing slash. */
	url(request: IncomingMessage): string;
	/** The address of the files for this client, without a trailing slash. */
	filesUrl(request: IncomingMessage): string;
	/** Called with each error that a client sees only as a 500. */
	onDefect?(error: unknown): void;
}

const MAX_BODY_SIZE = '20mb';

/** Serves the document's endpoints, and checks requests against it. */
export function createServiceApi({
	backend,
	url,
	filesUrl,
	onDefect = () => {},
}: ServiceApiOptions): express.Express {
	const app = express();
	app.set('etag', false);
	app.set('x-powered-by', false);
	app.set('query parser', 'simple');

	app.use((request, response, next) => {
		response.locals.context = receiveRequest(backend, request);
		response.on('error', () => response.destroy());
		next();
	});

	app.use(express.text({ type: () => true, limit: MAX_BODY_SIZE }));

	app.use(async (request, response, next) => {
		const context = contextOf(response);
		const rawBody = typeof request.body === 'string' ? request.body : undefined;
		const admission = admitRequest(context, rawBody);
		if (admission.kind === 'refused') return await send(response, admission.reply);
		if (admission.kind === 'intercepted') return await send(response, undefined);
		// A copy, since the validator adds default values to it.
		request.body = structuredClone(context.body);
		next();
	});

	app.use(openApiValidators());

	app.use(async (request, response) => {
		const origins = { url: url(request), filesUrl: filesUrl(request) };
		await send(response, runOperation(contextOf(response), origins));
	});

	const handleError: ErrorRequestHandler = async (error, _request, response, _next) => {
		const { status = 500, errors = [], message } = error;
		const isInvalid = status === 400 || status === 415;
		if (status >= 500) onDefect(error);
		await send(response, isInvalid ? validationReply(errors) : errorReply(status, String(message)));
	};
	app.use(handleError);
	return app;
}

function contextOf(response: Response): RequestContext {
	return response.locals.context as RequestContext;
}

/** Sends the reply, as the hook has it if there is one. */
async function send(response: Response, reply: Reply | undefined): Promise<void> {
	const { hook } = contextOf(response);
	if (hook) await hook.send(response, reply);
	else if (reply) await sendReply(response, reply);
}
