/**
 * Makes the pictures for the demonstration and the share page. They are computed and show no patient. Needs the compiled
 * test kit (`npx tsc -b testkit`). The results are committed: run this only after a change of the generators.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { element, partTen } from '../testkit/dist/part10.js';
import { chestFilm, chestTone } from './samples/chest.mjs';
import { ctSide, ctSlice, ctSpacing, windowed } from './samples/ct.mjs';
import { handFilm, handTone } from './samples/hand.mjs';
import { reportPdf } from './samples/report.mjs';
import { ultrasound, ultrasoundSize } from './samples/ultrasound.mjs';

const sharp = createRequire(new URL('../workers/package.json', import.meta.url))('sharp');
const demo = new URL('../backend/assets/demo/', import.meta.url);
const shown = new URL('../frontend/public/samples/', import.meta.url);
for (const folder of [demo, shown]) mkdirSync(folder, { recursive: true });

const grey = (pixels, width, height) => sharp(pixels, { raw: { width, height, channels: 1 } });
const radiograph = (film, tone, seed) =>
  grey(film.develop(tone, { grain: 3, seed }), film.width, film.height)
    .blur(0.8)
    .toColourspace('b-w');

const chest = await radiograph(chestFilm(3.2), chestTone, 5).png().toBuffer();
const hand = await radiograph(handFilm(6), handTone, 8).png().toBuffer();
const slice = ctSlice();
const ct = await grey(windowed(slice, 40, 400), ctSide, ctSide)
  .png()
  .toBuffer();
const echo = await grey(ultrasound(), ultrasoundSize.width, ultrasoundSize.height)
  .toColourspace('b-w')
  .png({ compressionLevel: 9 })
  .toBuffer();

write(demo, 'chest-xray.jpg', await sharp(chest).toColourspace('b-w').jpeg({ quality: 86 }).toBuffer());
write(demo, 'hand-xray.jpg', await sharp(hand).toColourspace('b-w').jpeg({ quality: 86 }).toBuffer());
write(demo, 'liver-ultrasound.png', echo);
write(demo, 'chest-ct.dcm', dicom(slice));
write(demo, 'report.pdf', reportPdf());
for (const [name, picture] of Object.entries({
  'chest-xray': chest,
  'hand-xray': hand,
  'chest-ct': ct,
  'liver-ultrasound': echo,
})) {
  write(
    shown,
    `${name}.webp`,
    await sharp(picture).resize({ width: 640, height: 640, fit: 'inside' }).webp({ quality: 78 }).toBuffer(),
  );
}

function write(folder, name, bytes) {
  writeFileSync(new URL(name, folder), bytes);
  console.log(`${name}: ${Math.ceil(bytes.length / 1024)} KB`);
}

/** Returns a CT Image Storage file with the attributes that a viewer needs. The UIDs are constant, as for a phantom. */
function dicom(values) {
  const pixels = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) pixels.writeUInt16LE(value + 1024, index * 2);
  const root = '2.25.184467440737095516';
  return partTen(
    Buffer.concat([
      element(0x00080008, 'CS', 'DERIVED\\SECONDARY\\AXIAL'),
      element(0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.2'),
      element(0x00080018, 'UI', `${root}13`),
      element(0x00080020, 'DA', '20260105'),
      element(0x00080060, 'CS', 'CT'),
      element(0x00081030, 'LO', 'Computer-made phantom'),
      element(0x00081090, 'LO', 'Lightbox phantom'),
      // Without a name, because an upload for a patient is refused when the file names another person.
      element(0x00100010, 'PN', ''),
      element(0x00100020, 'LO', 'PHANTOM'),
      element(0x00180015, 'CS', 'CHEST'),
      element(0x00180050, 'DS', '5'),
      element(0x0020000d, 'UI', `${root}11`),
      element(0x0020000e, 'UI', `${root}12`),
      element(0x00200011, 'IS', '1'),
      element(0x00200013, 'IS', '1'),
      element(0x00200032, 'DS', '-179.2\\-179.2\\0'),
      element(0x00200037, 'DS', '1\\0\\0\\0\\1\\0'),
      element(0x00280002, 'US', 1),
      element(0x00280004, 'CS', 'MONOCHROME2'),
      element(0x00280010, 'US', ctSide),
      element(0x00280011, 'US', ctSide),
      element(0x00280030, 'DS', `${ctSpacing}\\${ctSpacing}`),
      element(0x00280100, 'US', 16),
      element(0x00280101, 'US', 12),
      element(0x00280102, 'US', 11),
      element(0x00280103, 'US', 0),
      element(0x00281050, 'DS', '40'),
      element(0x00281051, 'DS', '400'),
      element(0x00281052, 'DS', '-1024'),
      element(0x00281053, 'DS', '1'),
      element(0x7fe00010, 'OW', pixels),
    ]),
  );
}
