import { toHtmlLink, type PageLink } from '../errors/htmlLink';
import { jobLinks } from '../jobs/jobLinks';
import type { ItemOutcome } from './types';

/**
 * Returns a hint with links to the live view and the history of a run's only job, because its item
 * shows their addresses as text. Undefined if there are several items, or no links.
 */
export function linkHint([first, ...others]: ItemOutcome[]): string | undefined {
	if (first === undefined || others.length > 0) return undefined;
	const links = linksOf(first).map(({ name, url }) => toHtmlLink(url, name));
	return links.length === 0 ? undefined : `Open the job: ${links.join(' · ')}`;
}

function linksOf({ outcome, entry }: ItemOutcome): PageLink[] {
	if (outcome.kind === 'output') return outcome.links ?? [];
	if (outcome.kind === 'failed' || outcome.session === undefined) return [];
	return jobLinks(outcome.session, entry?.known.job);
}
