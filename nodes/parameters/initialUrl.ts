import { UserError } from '../errors/UserError';
import { parseUrl } from '../service/baseUrl';
import { text, type Field } from './field';
import { requireNoLostObject } from './values';

const WEB_URL = /^https?:\/\/[^/?#\s]\S*$/i;
const LOCALHOST_OR_IPV6 = /^(?:localhost|\[[0-9a-f:.]+\])(?=[:/?#]|$)/iu;
const DOMAIN_LABEL = /^[\p{L}\p{N}_-]+$/iu;
const LAST_DOMAIN_LABEL = /^[\p{L}\p{N}-]+$/iu;

const field = text({
	displayName: 'Initial URL',
	name: 'initialUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://www.example.com',
	description: 'Page that the browser opens first. Leave empty to let the agent choose.',
});

/** The page to start on, read as an http(s) URL or ''. A URL without a scheme gets `https://`. */
export const initialUrlField: Field<string> = {
	...field,
	read(value) {
		requireNoLostObject(value, field.property.displayName);
		const entered = field.read(value);
		const url = beginsWithHost(entered) ? `https://${entered}` : entered;
		if (url === '' || (WEB_URL.test(url) && parseUrl(url) !== undefined)) return url;
		throw new UserError("'Initial URL' is not a valid URL", {
			description:
				"Enter a URL with its scheme, e.g. 'https://www.example.com', or as a domain, e.g. 'example.com'. If it is an expression, check its value for this item.",
		});
	},
};

/** Whether a text begins with a host, and so with neither a scheme nor a path. */
function beginsWithHost(text: string): boolean {
	if (LOCALHOST_OR_IPV6.test(text)) return true;
	const [name = ''] = text.split(/[:/?#]/, 1);
	// A domain has a dot; what comes before the colon of another scheme, e.g. 'mailto', has none.
	const labels = name.split('.');
	const last = labels.pop() ?? '';
	return (
		labels.length > 0 &&
		labels.every((label) => DOMAIN_LABEL.test(label)) &&
		LAST_DOMAIN_LABEL.test(last)
	);
}
