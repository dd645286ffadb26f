import { readPage } from '../../../local-service/agent/PageView';
import { Passwords } from '../../../local-service/agent/Passwords';
import { useBrowser } from '../support/useBrowser';
import { useShop } from '../support/useShop';

const shop = useShop();
const test = useBrowser(() => ({ allowedHosts: [shop.host] }));

/** The outline of a page of the shop. References begin anew in each frame of each page. */
async function outlineOf(path: string): Promise<string> {
	const page = await test.browser.page().context().newPage();
	await page.goto(`${shop.url}${path}`);
	const view = await readPage(page, new Passwords(), new AbortController().signal);
	return view.outline.replaceAll(/ref=f\d+e/g, 'ref=e');
}

const LIST = `
- generic [active] [ref=e1]:
  - heading "Tools" [level=1] [ref=e2]
  - list [ref=e3]:
    - listitem [ref=e4]:
      - link "Hammer" [ref=e5] [cursor=pointer]:
        - /url: /items/1
    - listitem [ref=e6]:
      - link "Saw" [ref=e7] [cursor=pointer]:
        - /url: /items/2
    - listitem [ref=e8]:
      - link "Drill" [ref=e9] [cursor=pointer]:
        - /url: /items/3
    - listitem [ref=e10]:
      - link "Level" [ref=e11] [cursor=pointer]:
        - /url: /items/4
    - listitem [ref=e12]:
      - link "Pliers" [ref=e13] [cursor=pointer]:
        - /url: /items/5
  - link "Log in" [ref=e14] [cursor=pointer]:
    - /url: /login
  - link "Invoice" [ref=e15] [cursor=pointer]:
    - /url: /invoice.pdf
  - link "Report" [ref=e16] [cursor=pointer]:
    - /url: /report.csv`;

const FORM = `
- generic [active] [ref=e1]:
  - heading "Log in" [level=1] [ref=e2]
  - generic [ref=e3]:
    - generic [ref=e4]:
      - text: User
      - textbox "User" [ref=e5]
    - generic [ref=e6]:
      - text: Password
      - textbox "Password" [ref=e7]
    - generic [ref=e8]:
      - text: Country
      - combobox "Country" [ref=e9]:
        - option "Austria" [selected]
        - option "Brazil"
    - generic [ref=e10]:
      - checkbox "Stay logged in" [ref=e11]
      - text: Stay logged in
    - button "Log in" [ref=e12]`;

const FRAME = `
- generic [active] [ref=e1]:
  - heading "Outside" [level=1] [ref=e2]
  - iframe [ref=e3]:
    - generic [ref=e1]:
      - paragraph [ref=e2]: Inside
      - button "Press" [ref=e3]`;

const DIALOG = `
- generic [active] [ref=e1]:
  - heading "Behind" [level=1] [ref=e2]
  - dialog "Cookies" [ref=e3]:
    - paragraph [ref=e4]: We use cookies.
    - button "Refuse" [ref=e5]`;

// Playwright promises nothing about the form: an update that changes what the model sees is seen
// here first.
describe("Playwright's outline", () => {
	it('of a list', async () => {
		expect(`\n${await outlineOf('/')}`).toBe(LIST);
	});

	it('of a form', async () => {
		expect(`\n${await outlineOf('/login')}`).toBe(FORM);
	});

	it('of a frame', async () => {
		expect(`\n${await outlineOf('/frame')}`).toBe(FRAME);
	});

	it('of a dialog', async () => {
		expect(`\n${await outlineOf('/dialog')}`).toBe(DIALOG);
	});
});
