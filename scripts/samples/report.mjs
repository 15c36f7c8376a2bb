/** A report of one A4 page about no person. */
const lines = [
  [20, 'Lightbox sample report'],
  [11, 'Demonstration document. It describes a phantom made by a program, and no person.'],
  [0, ''],
  [13, 'Examination'],
  [11, 'Chest, one frontal projection (PA, erect).'],
  [0, ''],
  [13, 'Technique'],
  [11, 'Synthetic projection of geometric shapes with added noise.'],
  [0, ''],
  [13, 'Findings'],
  [11, 'Lungs: symmetrical, clear by construction. No fluid at the bases.'],
  [11, 'Heart and mediastinum: within the limits that the program drew.'],
  [11, 'Bones: ten pairs of ribs, both clavicles, seventeen vertebral bodies.'],
  [0, ''],
  [13, 'Impression'],
  [11, 'Normal phantom. Nothing here may be used for a diagnosis.'],
];

export function reportPdf() {
  const content = `0.05 0.35 0.6 rg 56 770 483 3 re f 0 g\nBT\n${text()}ET\n`;
  const fonts =
    '<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >> >>';
  const bodies = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font ${fonts} >> /Contents 4 0 R >>`,
    `<< /Length ${content.length} >>\nstream\n${content}endstream`,
  ];
  return assemble(bodies.map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`));
}

function text() {
  let y = 740;
  return lines
    .map(([size, line]) => {
      y -= size === 0 ? 10 : size + 9;
      return size === 0
        ? ''
        : `/${size > 11 ? 'F2' : 'F1'} ${size} Tf 1 0 0 1 56 ${y} Tm (${line.replace(/[()\\]/g, '\\$&')}) Tj\n`;
    })
    .join('');
}

/** Builds a PDF file (ISO 32000-1 §7.5): header, objects, cross-reference table, trailer. */
function assemble(objects) {
  let file = '%PDF-1.4\n';
  const starts = objects.map((object) => {
    const start = file.length;
    file += object;
    return start;
  });
  const table = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
}
