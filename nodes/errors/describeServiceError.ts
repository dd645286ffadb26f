import type { Failure } from 'n8n-workflow';

import { UserError } from './UserError';
import type { FieldError, ServiceError } from './ServiceError';

/** What a call was about, for the words: the job, or the thing it asked for. */
export interface CallSubject {
	jobId?: string;
	/** A noun in small letters, e.g. "workflow wf_1". Unset: the job, or the address. */
	subject?: string;
	/** The job's file it is about. */
	filename?: string;
}

// The request's own names and what they are called on the screen.
const FIELD_NAMES: Record<string, string> = {
	directive: 'Directive',
	initial_url: 'Initial URL',
	cdp_url: 'CDP URL',
	live_url: 'Live URL',
	action_selection_model: 'Model',
	browser_config: 'Browser Options',
	width: 'Width',
	height: 'Height',
	residential_ip: 'Residential IP',
	max_duration_minutes: 'Max Duration Minutes',
	idle_timeout_minutes: 'Idle Timeout Minutes',
	keep_browser_open: 'Keep Browser Open',
	use_user_browser_profile: 'Use User Browser Profile',
	payload: 'Payload',
	job_id: 'Job ID',
	workflow_id: 'Workflow ID',
};

// How much of the service's own words is shown.
const LONGEST_SAID = 500;

/**
 * A refused or unanswered call in words: what happened, and what to do about it.
 * With a job ID, the message names the job, and with a file name the file.
 */
export function describeServiceError(error: ServiceError, about: CallSubject = {}): UserError {
	const { jobId, filename } = about;
	const isFile = filename !== undefined;
	const { message, description } = isFile ? fileWords(error) : wordsFor(error, about);
	const named = isFile
		? `File '${filename}' of job ${jobId}: ${message}`
		: jobId === undefined || message.includes(jobId)
			? message
			: `Job ${jobId}: ${message}`;
	return new UserError(named, {
		description,
		jobIds: jobId === undefined ? undefined : [jobId],
		statusCode: error.facts.statusCode,
		failure: failureOf(error),
		isStop: error.kind === 'stopped',
	});
}

function failureOf(error: ServiceError): Failure | undefined {
	const { retryAfterMs } = error.facts;
	if (error.kind === 'rateLimited') return { cause: 'rate-limited', retryAfterMs };
	if (error.isTransient) return { cause: 'temporarily-unavailable', retryAfterMs };
	if (error.kind === 'notSent') return { cause: 'configuration-invalid' };
	const isKeys = error.kind === 'unauthorized' || error.kind === 'forbidden';
	return isKeys ? { cause: 'credential-invalid' } : undefined;
}

interface Words {
	message: string;
	description: string;
}

function wordsFor(error: ServiceError, { jobId, subject }: CallSubject): Words {
	const { statusCode, detail, fieldErrors, retryAfterMs } = error.facts;
	const says = detail === undefined ? '' : ` The service says: ${detail}`;

	switch (error.kind) {
		case 'unauthorized':
			return {
				message: 'The service did not accept the API key',
				description: `Check 'API Key' in the Browser Agent API credential, or make a new key in the settings of the service's web platform.${says}`,
			};
		case 'forbidden':
			return {
				message: 'The API key has no permission for this',
				description: `Use a key that has it, or ask the owner of the account.${says}`,
			};
		case 'insufficientCredits':
			return {
				message: 'The account has too few credits to start a job',
				description: `Nothing was started. Add credits in the service's web platform, or choose a model with fewer credits per step.${says}`,
			};
		case 'notFound':
			return notFound(jobId, subject, says);
		case 'invalid':
			return invalid(detail, fieldErrors);
		case 'rateLimited':
			return {
				message: 'The service has had too many requests from this account',
				description: `Try again in ${secondsOf(retryAfterMs)}, and look for other workflows or programs that use the same key.${says}`,
			};
		case 'serverError':
			return {
				message: `The service could not handle the request (HTTP ${statusCode})`,
				description: `This is on the service's side. Try again later.${says}`,
			};
		case 'redirect':
			return {
				message: `The service answered with a redirect (HTTP ${statusCode}), which is not followed`,
				description:
					"Enter the address it leads to as 'Base URL' in the Browser Agent API credential.",
			};
		case 'rejected':
			return {
				message: `The service did not accept the request (HTTP ${statusCode})`,
				description: `Check the node's fields and 'Base URL' in the Browser Agent API credential.${says}`,
			};
		case 'unreachable':
			return {
				message: `The service could not be reached: ${detail}`,
				description:
					"Check 'Base URL' in the Browser Agent API credential, and that n8n's machine can reach that address.",
			};
		case 'notSent':
			return {
				message: `The request was not sent: ${detail}`,
				description:
					"Check the Browser Agent API credential, and which addresses n8n's administrator allows.",
			};
		case 'timeout':
			return {
				message: 'The service did not answer in time',
				description: 'Try again later. The service may be busy, or the network slow.',
			};
		case 'connectionLost':
			return {
				message: 'The connection to the service broke before its answer was complete',
				description: 'Try again. If it happens often, look at the network and proxies in between.',
			};
		case 'unreadable':
			return {
				message: "The service's answer could not be read",
				description:
					detail === undefined
						? "Check 'Base URL' in the Browser Agent API credential: something else may be answering there."
						: `Check 'Base URL' in the Browser Agent API credential: something else may be answering there. The answer: ${detail}`,
			};
		case 'queueTimeout':
			return {
				message: "There was no room in the account's rate limit in time",
				description:
					'Nothing was sent. Let fewer items or workflows use the same key at once, or raise the time limit.',
			};
		case 'tooLarge':
			return {
				message: "The file is larger than 'Max File Size MB'",
				description: 'Raise the option, or leave the file out.',
			};
		case 'invalidLink':
			return {
				message: `The file cannot be fetched: ${detail}`,
				description: "Look at the job's files in the service's web platform.",
			};
		case 'stopped':
			return { message: 'Execution canceled', description: 'The request was given up.' };
	}
}

// A file may come from another host, so what is said of the service does not fit a refusal.
function fileWords(error: ServiceError): Words {
	const { statusCode, detail } = error.facts;
	if (['unreachable', 'timeout', 'connectionLost'].includes(error.kind)) {
		const reason = error.kind === 'unreachable' ? detail : 'it did not arrive whole';
		return {
			message: `it could not be fetched: ${reason}`,
			description: 'It was tried several times. Try again later with Job File: Download.',
		};
	}
	if (statusCode === undefined) return wordsFor(error, {});
	return {
		message: `it is not to be had (HTTP ${statusCode})`,
		description:
			"Its link may have expired, or the file is gone. Look at the job's files in the service's web platform.",
	};
}

function notFound(jobId: string | undefined, subject: string | undefined, says: string): Words {
	if (subject !== undefined) {
		return {
			message: `The service knows no ${subject}`,
			description: `Check the ID, and that the API key belongs to the same account.${says}`,
		};
	}
	if (jobId !== undefined) {
		return {
			message: `The service knows no job ${jobId}`,
			description: `Check 'Job ID', and that the API key belongs to the account that started the job.${says}`,
		};
	}
	return {
		message: 'There is nothing at this address of the service',
		description: `Check 'Base URL' in the Browser Agent API credential.${says}`,
	};
}

function invalid(detail: string | undefined, problems: FieldError[] | undefined): Words {
	if (problems === undefined) {
		return {
			message:
				detail === undefined
					? 'The service did not accept the request'
					: `The service did not accept the request: ${detail}`,
			description: "Check the node's fields.",
		};
	}
	const named = problems.slice(0, 5).map(({ place, reason }) => {
		const name = toFieldName(place);
		return name === '' ? reason : `${name}: ${reason}`;
	});
	return {
		message: `The service did not accept ${shortened(named.join('; '))}`,
		description: 'Change what is named here and run the node again.',
	};
}

/** `browser_config.width` is 'Width'; a place that is no field of ours stays as it is. */
function toFieldName(place: string): string {
	const last = place.split('.').findLast((part) => Object.hasOwn(FIELD_NAMES, part));
	const name = last === undefined ? place : FIELD_NAMES[last];
	return name === undefined || name === '' ? '' : `'${name}'`;
}

// Each part of it is short enough by itself.
function shortened(text: string): string {
	return text.length > LONGEST_SAID ? `${text.slice(0, LONGEST_SAID - 1)}…` : text;
}

function secondsOf(ms: number | undefined): string {
	return ms === undefined ? 'a minute' : `${Math.max(1, Math.ceil(ms / 1000))} s`;
}
