import { deflateRawSync } from 'node:zlib';
import {
  dicomPicture,
  element,
  imageModule,
  item,
  partTen,
  picture,
  sequenceEnd,
  syntaxes,
  UNDEFINED,
} from '@lightbox/testkit/part10.js';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { openPictures } from './preview.js';

const pictures = await openPictures(null);
afterAll(pictures.close);
const preview = async (bytes: Buffer, type: string) =>
  (await pictures.prepare(bytes, type, async () => undefined))?.preview ?? null;

const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#345', noise: { type: 'gaussian', mean: 128, sigma: 20 } },
  });

const onePagePdf = (stream: string) => {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 600] /Contents 4 0 R >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ].map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`);
  return Buffer.from(`%PDF-1.4\n${objects.join('')}trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n`);
};

async function pixelAt(webp: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(webp).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

describe('previews', () => {
  test('The preview of a JPEG is small and upright, and keeps nothing but the pixels.', async () => {
    const secret = 'GPS and a name';
    const jpeg = await noise(1200, 600)
      .withExif({ IFD0: { Artist: secret }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const result = await preview(Buffer.concat([jpeg, Buffer.from(secret)]), 'image/jpeg');
    expect(result).toMatchObject({ width: 256, height: 512 });
    const webp = result?.bytes ?? Buffer.alloc(0);
    expect(webp.includes(secret)).toBe(false);
    expect(await sharp(webp).metadata()).toMatchObject({ format: 'webp', width: 256, height: 512 });
    expect((await sharp(webp).metadata()).exif).toBeUndefined();
  });

  test('Pictures of all kinds get a preview.', async () => {
    const small = await noise(30, 20).png().toBuffer();
    expect(await preview(small, 'image/png')).toMatchObject({ width: 30, height: 20 });
    const cmyk = await noise(30, 20).toColourspace('cmyk').jpeg().toBuffer();
    expect(await preview(cmyk, 'image/jpeg')).toMatchObject({ width: 30, height: 20 });
    const deep = await noise(30, 20).toColourspace('rgb16').png().toBuffer();
    expect(await preview(deep, 'image/png')).toMatchObject({ width: 30, height: 20 });
  });

  test('The preview of a PDF shows its first page in its own colours.', async () => {
    const result = await preview(onePagePdf('1 0 0 rg 0 0 300 300 re f'), 'application/pdf');
    expect(result).toMatchObject({ width: 256, height: 512 });
    const [r, g, b] = await pixelAt(result?.bytes ?? Buffer.alloc(0), 128, 400);
    expect([r, g, b].map((value) => Math.round((value ?? 0) / 100))).toEqual([3, 0, 0]);
    expect(await pixelAt(result?.bytes ?? Buffer.alloc(0), 128, 100)).toEqual([255, 255, 255]);
  });

  test('DICOM pictures get a preview: grey, deflated, with many frames, big.', async () => {
    const ramp = Buffer.alloc(512);
    for (let i = 0; i < 256; i++) ramp.writeUInt16LE(i * 16, i * 2);
    const grey = await preview(dicomPicture({ pixels: ramp }), 'application/dicom');
    expect(grey).toMatchObject({ width: 16, height: 16 });
    const [dark] = await pixelAt(grey?.bytes ?? Buffer.alloc(0), 8, 0);
    const [light] = await pixelAt(grey?.bytes ?? Buffer.alloc(0), 8, 15);
    expect(light).toBeGreaterThan((dark ?? 255) + 150);
    const body = Buffer.concat([imageModule(picture()), element(0x7fe00010, 'OW', ramp)]);
    expect(await preview(partTen(deflateRawSync(body), syntaxes.deflated), 'application/dicom')).toMatchObject({
      width: 16,
    });
    const film = dicomPicture({ frames: '3', pixels: Buffer.concat([ramp, ramp, ramp]) });
    expect(await preview(film, 'application/dicom')).toMatchObject({ width: 16 });
    const big = dicomPicture({ rows: 2000, columns: 1000, pixels: Buffer.alloc(4_000_000, 9) });
    expect(await preview(big, 'application/dicom')).toMatchObject({ width: 256, height: 512 });
  });

  test('A DICOM picture with RLE colours keeps its colours.', async () => {
    // PS3.5 §G: a header of 64 bytes, then per colour runs of one value: 16 × 16 is two runs of 128.
    const planes = [250, 20, 90].map((value) => Buffer.from([0x81, value, 0x81, value]));
    const header = Buffer.alloc(64);
    for (const [index, value] of [3, 64, 68, 72].entries()) header.writeUInt32LE(value, index * 4);
    const fragment = item(Buffer.concat([header, ...planes]));
    const shape = picture({ bits: 8, samples: 3 });
    const pixels = Buffer.concat([
      element(0x7fe00010, 'OB', Buffer.alloc(0), UNDEFINED),
      item(Buffer.alloc(0)),
      fragment,
      sequenceEnd(),
    ]);
    const module = Buffer.concat([imageModule(shape).subarray(0, -10), element(0x00280103, 'US', 0)]);
    const file = partTen(Buffer.concat([module, pixels]), '1.2.840.10008.1.2.5');
    const result = await preview(file, 'application/dicom');
    const [r = 0, g = 0, b = 0] = await pixelAt(result?.bytes ?? Buffer.alloc(0), 8, 8);
    for (const [value, wanted] of [
      [r, 250],
      [g, 20],
      [b, 90],
    ] as const)
      expect(Math.abs(value - wanted)).toBeLessThan(12);
  });

  test('A file that cannot be drawn has the preview null, without an error.', async () => {
    const png = await noise(30, 20).png().toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    for (const [bytes, type] of [
      [png.subarray(0, png.length / 2), 'image/png'],
      [png, 'image/jpeg'],
      [svg, 'image/png'],
      [Buffer.from('%PDF-1.4\nnothing\n%%EOF'), 'application/pdf'],
      [Buffer.from('not DICOM'), 'application/dicom'],
      [png, 'text/html'],
    ] as const) {
      expect(await preview(bytes, type)).toBeNull();
    }
  });

  test('A picture for a model is a plain PNG of at most 1024 pixels a side.', async () => {
    const jpeg = await noise(2000, 1000)
      .withExif({ IFD0: { Artist: 'a name' } })
      .jpeg()
      .toBuffer();
    const rendered = await pictures.forModel(jpeg, 'image/jpeg');
    const metadata = await sharp(rendered?.bytes).metadata();
    expect(metadata).toMatchObject({ format: 'png', width: 1024, height: 512 });
    expect(metadata.exif).toBeUndefined();
  });
});

describe('measurements', () => {
  const flat = (value: number) =>
    sharp({ create: { width: 64, height: 64, channels: 3, background: { r: value, g: value, b: value } } });

  test('Brightness and clipping are measured.', async () => {
    const white = await pictures.measure(await flat(255).png().toBuffer(), 'image/png');
    expect(white).toMatchObject({ mean: 255, sd: 0, min: 255, max: 255, white: 1, black: 0, sharpness: 0, noise: 0 });
    const grey = await pictures.measure(await flat(100).png().toBuffer(), 'image/png');
    expect(grey).toMatchObject({ mean: 100, white: 0, black: 0, bitDepth: 8 });
  });

  test('The estimate of the noise equals the noise that was added.', async () => {
    const pixels = Buffer.alloc(128 * 128);
    let state = 1;
    const uniform = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    for (let i = 0; i < pixels.length; i++) {
      const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
      pixels[i] = Math.round(128 + 10 * normal);
    }
    const png = await sharp(pixels, { raw: { width: 128, height: 128, channels: 1 } })
      .png()
      .toBuffer();
    const measured = await pictures.measure(png, 'image/png');
    expect(measured?.noise).toBeGreaterThan(9);
    expect(measured?.noise).toBeLessThan(11);
    expect(measured?.sd).toBeGreaterThan(9);
  });

  test('A CT is measured in Hounsfield units.', async () => {
    const ramp = Buffer.alloc(512);
    for (let i = 0; i < 256; i++) ramp.writeUInt16LE(i * 8, i * 2);
    const rescale = Buffer.concat([element(0x00281052, 'DS', '-1024'), element(0x00281053, 'DS', '1')]);
    const file = partTen(Buffer.concat([imageModule(picture()), rescale, element(0x7fe00010, 'OW', ramp)]));
    const measured = await pictures.measure(file, 'application/dicom');
    expect(measured).toMatchObject({
      values: { min: -1024, max: 1016 },
      bitDepth: 16,
      colour: false,
      min: 0,
      max: 255,
    });
  });
});
