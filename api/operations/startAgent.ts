import type { BrowserConfig } from '../backend';
import { DEFAULT_BROWSER_CONFIG } from '../document';
import { errorReply } from '../reply';
import { asBoolean, asFields, asNumber, asText } from './bodyFields';
import type { Operation } from './operation';

/** Answers 400 to a blank directive, and 402 if the account has no credits left. */
export const startAgent: Operation = ({ backend, account, body, now, url }) => {
	const request = asFields(body);
	const directive = asText(request.directive) ?? '';
	if (directive.trim() === '') return errorReply(400, 'The directive is blank');
	if (!account.hasCredits) return errorReply(402, 'The account has no credits left');

	const cdpUrl = asText(request.cdp_url);
	const job = backend.startJob(
		{
			account,
			kind: 'agent',
			directive,
			initialUrl: asText(request.initial_url),
			model: asText(request.action_selection_model),
			ownBrowser: cdpUrl ? { cdpUrl, liveUrl: asText(request.live_url) } : undefined,
			browserConfig: toBrowserConfig(request.browser_config),
			request,
		},
		now,
	);

	const json = {
		job_id: job.id,
		status: 'running',
		...job.links(url),
		polling_url: `${url}/v1/get_job_status/${job.id}`,
	};
	return { status: 200, json };
};

function toBrowserConfig(value: unknown): BrowserConfig {
	const config = asFields(value);
	const byDefault = DEFAULT_BROWSER_CONFIG;
	const { residential_ip: ip } = config;
	return {
		width: asNumber(config.width) ?? byDefault.width,
		height: asNumber(config.height) ?? byDefault.height,
		residentialIp: asBoolean(ip) ?? asText(ip) ?? byDefault.residentialIp,
		maxDurationMinutes: asNumber(config.max_duration_minutes) ?? byDefault.maxDurationMinutes,
		idleTimeoutMinutes: asNumber(config.idle_timeout_minutes) ?? byDefault.idleTimeoutMinutes,
		keepBrowserOpen: asBoolean(config.keep_browser_open) ?? byDefault.keepBrowserOpen,
		useUserBrowserProfile:
			asBoolean(config.use_user_browser_profile) ?? byDefault.useUserBrowserProfile,
	};
}
