import type { Shop } from '../../../dev/localService/Shop';
import type { Script } from '../../local-service/support/useModelServer';
import { refOf } from '../../local-service/support/useModelServer';

const LAMPS = [
	['Vega', '39.50', '4.1', 'in stock'],
	['Arc', '19.90', '4.6', 'in stock'],
	['Halo', '45.00', '4.7', 'sold out'],
	['Nordlys', '31.00', '4.8', 'in stock'],
	['Pixie', '24.50', '4.2', 'sold out'],
];

/** A lamp as a line of the page says it. */
const LINE = /(\w+), ([\d.]+) EUR, rated ([\d.]+), (in stock|sold out)/g;

/** Adds the pages of a shop for lamps: the list, also by price, and a PDF. */
export function addLampShop(shop: Shop): void {
	const byPrice = [...LAMPS].sort(([, one], [, other]) => Number(one) - Number(other));
	shop.page('/lamps', lampPage(LAMPS, '<a href="/lamps/by-price">Cheapest first</a>'));
	shop.page('/lamps/by-price', lampPage(byPrice, '<a href="/lamps">All lamps</a>'));
}

function lampPage(lamps: string[][], link: string): string {
	const lines = lamps.map(
		([name, price, rating, stock]) => `<li>${name}, ${price} EUR, rated ${rating}, ${stock}</li>`,
	);
	return `<title>Desk lamps</title><style>
		body { margin: 3rem; font: 28px/1.5 sans-serif; background: #fffdf7; color: #333 }
		ul { list-style: none; padding: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
		li { padding: 1.5rem; border: 1px solid #ddd; border-radius: 12px; background: #fff }
		a { color: #0b5cad }</style>
		<h1>Desk lamps</h1><p>${link} · <a href="/invoice.pdf">Price list (PDF)</a></p>
		<ul>${lines.join('')}</ul>`;
}

/** A model that lists the lamps by price, and returns the first three that it then reads. */
export function readLamps(before: (step: number) => Promise<void>): Script {
	return async ({ page, number }) => {
		await before(number);
		if (page.includes('Cheapest first')) {
			const ref = refOf(page, 'Cheapest first');
			return { call: 'click', input: { ref, note: 'The list can be sorted by price.' } };
		}
		const lamps = [...page.matchAll(LINE)].map(([, name, price, rating, stock]) => ({
			name,
			price: Number(price),
			rating: Number(rating),
			in_stock: stock === 'in stock',
		}));
		return { call: 'done', input: { output: { lamps: lamps.slice(0, 3) } } };
	};
}
