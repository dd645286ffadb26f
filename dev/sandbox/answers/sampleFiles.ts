import type { FileScript } from '../types';

/** Returns the files of a completed job without a script: a PDF, if the directive mentions one. */
export function sampleFiles(directive: string): FileScript[] {
	if (!/\bpdfs?\b/i.test(directive)) return [];
	const subject = /\binvoices?\b/i.test(directive) ? 'invoice' : 'document';
	return [{ filename: `${subject}.pdf`, content: pdfPage(`Sample ${subject} of the sandbox`) }];
}

/**
 * Returns a PDF of one page with this line, which must be ASCII without brackets or backslashes.
 */
function pdfPage(line: string): string {
	const drawing = `BT /F1 24 Tf 72 720 Td (${line}) Tj ET`;
	const objects = [
		'<< /Type /Catalog /Pages 2 0 R >>',
		'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
		'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R' +
			' /Resources << /Font << /F1 5 0 R >> >> >>',
		`<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
	];

	let text = '%PDF-1.4\n';
	const offsets = objects.map((object, index) => {
		const offset = text.length;
		text += `${index + 1} 0 obj\n${object}\nendobj\n`;
		return offset;
	});
	const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
	const size = objects.length + 1;
	return (
		`${text}xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}` +
		`trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
	);
}
