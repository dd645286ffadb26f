import { UserError } from '../errors/UserError';
import { parseUrl, withScheme } from '../service/baseUrl';
import { text, type Field } from './field';
import { requireNoLostObject } from './values';

const WEB_URL = /^https?:\/\/[^/?#\s]\S*$/i;

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
		const url = withScheme(field.read(value));
		if (url === '' || (WEB_URL.test(url) && parseUrl(url) !== undefined)) return url;
		throw new UserError("'Initial URL' is not a valid URL", {
			description:
				"Enter a URL with its scheme, e.g. 'https://www.example.com', or as a domain, e.g. 'example.com'. If it is an expression, check its value for this item.",
		});
	},
};
