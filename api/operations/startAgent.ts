import { errorReply, tooManyJobs } from '../reply';
import type { JobStart } from '../../dev/sandbox/state/Job';
import { type Fields, asFields, asNumber, asText } from './bodyFields';
import { jobLinks } from '../../dev/sandbox/answers/jobLinks';
import type { Operation } from './operation';

/**
 * Answers 400 to a blank directive, 402 if the account has no credits left, and 429 if it may not
 * run another job now.
 */
export const startAgent: Operation = ({ state, account, body, now, url }) => {
	const request = asFields(body);
	const directive = asText(request.directive) ?? '';
	if (directive.trim() === '') return errorReply(400, 'The directive is blank');
	if (!account.hasCredits) return errorReply(402, 'The account has no credits left');
	if (!state.hasRoom(account)) return tooManyJobs;
	const script = state.scripts.take(directive);
	const job = state.startJob({ ...toJobStart(request), account, directive, script }, now);
	const json: Fields = {
		job_id: job.id,
		status: 'running',
		...jobLinks(job, url),
		polling_url: `${url}/v1/get_job_status/${job.id}`,
		...script.startBody,
	};
	return { status: 200, json, jobId: job.id };
};

function toJobStart(
	request: Fields,
): Omit<JobStart, 'account' | 'directive' | 'script' | 'defaultSeconds'> {
	const config = asFields(request.browser_config);
	const cdpUrl = asText(request.cdp_url);
	return {
		kind: 'agent',
		initialUrl: asText(request.initial_url),
		ownBrowser: cdpUrl ? { cdpUrl, liveUrl: asText(request.live_url) } : undefined,
		model: asText(request.action_selection_model),
		maxDurationMinutes: asNumber(config.max_duration_minutes),
		request,
	};
}
