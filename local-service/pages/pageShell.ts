import { type Html, html } from './html';

/** Returns a whole page. Addresses in it are relative to `/live/<job>/<secret>` and the like. */
export function pageShell(title: string, body: Html, head?: Html): string {
	const page = html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="robots" content="noindex" />
				<title>${title}</title>
				<link rel="stylesheet" href="../../pages/pages.css" />
				${head}
			</head>
			<body>
				${body}
			</body>
		</html> `;
	return page.text;
}
