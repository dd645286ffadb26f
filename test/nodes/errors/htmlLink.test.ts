import { toHtmlLink } from '../../../nodes/errors/htmlLink';

describe('A link in the description of an error', () => {
	it('opens in a new tab, and shows its whole address', () => {
		expect(toHtmlLink('https://app.example.com/jobs/1')).toBe(
			'<a href="https://app.example.com/jobs/1" target="_blank">https://app.example.com/jobs/1</a>',
		);
	});

	it('has its address encoded as an attribute only, so that it can be copied from the text', () => {
		const url = `http://localhost/?a=1&b="2"&c='3'`;

		expect(toHtmlLink(url)).toBe(
			`<a href="http://localhost/?a=1&amp;b=&quot;2&quot;&amp;c=&#39;3&#39;" target="_blank">${url}</a>`,
		);
	});

	it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com/', '//example.com', ''])(
		'is plain text for %p',
		(url) => {
			expect(toHtmlLink(url)).toBe(url);
		},
	);
});
