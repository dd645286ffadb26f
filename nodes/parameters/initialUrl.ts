import { UserError } from '../errors/UserError';
import { parseUrl } from '../service/baseUrl';
import { text, type Field } from './field';

// A scheme is followed by two slashes; a host without one may be followed by a port.
const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const OTHER_SCHEME = /^[a-z][a-z0-9+-]*:(?!\d)/i;
const DOMAIN = /^(?:localhost|(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+|\[[0-9a-f:.]+\])(?=[:/?#]|$)/iu;

const field = text({
	displayName: 'Initial URL',
	name: 'initialUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://www.example.com',
	description:
		'Page that the browser opens first. Leave empty to let the agent choose. If https:// is missing, it is added.',
});

/**
 * The page to start on, or ''. A domain without a scheme gets `https://`.
 * Throws a `UserError` for anything that a browser can't open as a web page.
 */
export const initialUrlField: Field<string> = {
	...field,
	read(value) {
		const entered = field.read(value);
		if (entered === '' || isWebUrl(entered)) return entered;
		const completed = `https://${entered}`;
		const isDomain = DOMAIN.test(entered) && !WITH_SCHEME.test(entered);
		if (isDomain && !OTHER_SCHEME.test(entered) && isWebUrl(completed)) return completed;
		throw new UserError("'Initial URL' is not a web address", {
			description:
				"Enter it with its scheme, e.g. 'https://www.example.com', or as a domain, e.g. 'example.com'. If it is an expression, check its value for this item.",
		});
	},
};

function isWebUrl(text: string): boolean {
	if (!/^https?:\/\/[^/?#\s]/i.test(text) || /\s/.test(text)) return false;
	return parseUrl(text) !== undefined;
}
