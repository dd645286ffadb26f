import { UserError } from '../errors/UserError';
import { parseUrl } from '../service/baseUrl';
import { text, type Field } from './field';

const WEB_URL = /^https?:\/\/[^/?#\s]\S*$/i;
// The names of other schemes have no dot.
const DOMAIN = /^(?:localhost|(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+|\[[0-9a-f:.]+\])(?=[:/?#]|$)/iu;

const field = text({
	displayName: 'Initial URL',
	name: 'initialUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://www.example.com',
	description: 'Page that the browser opens first. Leave empty to let the agent choose.',
});

/**
 * The page to start on, or ''. A domain gets `https://`. Throws a `UserError` for what is no web
 * address.
 */
export const initialUrlField: Field<string> = {
	...field,
	read(value) {
		const entered = field.read(value);
		const url = DOMAIN.test(entered) ? `https://${entered}` : entered;
		if (url === '' || (WEB_URL.test(url) && parseUrl(url) !== undefined)) return url;
		throw new UserError("'Initial URL' is not a web address", {
			description:
				"Enter it with its scheme, e.g. 'https://www.example.com', or as a domain, e.g. 'example.com'. If it is an expression, check its value for this item.",
		});
	},
};
