import { asGraphicsCard, launchChromium, withoutWebGl } from '@lightbox/e2e/chromium.js';
import { Person } from '@lightbox/e2e/person.js';
import { startProduct } from '@lightbox/e2e/product.js';
import type { Values } from '@lightbox/workers/testing/viewerFrame.js';
import sharp from 'sharp';
import { cut } from './measure.js';

/** Pictures from the viewer's canvas in a real browser, of files that were uploaded to a running product. */
export interface Viewer {
  /** Returns the id of the uploaded file. Throws when the product refuses it. */
  upload: (name: string, bytes: Buffer) => Promise<string>;
  /** Returns a frame, from 1, as the canvas shows it, and true when the server has drawn it. */
  picture: (id: string, frame: number, samples: number) => Promise<{ values: Values; byServer: boolean }>;
  stop: () => Promise<void>;
}

interface Facts {
  rows: number;
  columns: number;
  pixelSpacing?: [number, number];
  perFrame?: { pixelSpacing?: [number, number] }[];
}

export async function openViewer({ webGl }: { webGl: boolean }): Promise<Viewer> {
  const product = await startProduct();
  const browser = await launchChromium(webGl ? {} : withoutWebGl);
  const person = await Person.arrive(product, browser, product.admin);
  if (webGl) await person.page.addInitScript(asGraphicsCard);
  await person.enter();
  const { page } = person;
  return {
    upload: async (name, buffer) => (await person.upload(name, { name, mimeType: 'application/dicom', buffer })).id,
    picture: async (id, frame, samples) => {
      await page.goto(`/viewer/${id}?frame=${frame}`);
      const pane = page.locator('[data-viewport]:is([data-state=drawn], [data-state=failed])');
      await pane.waitFor({ timeout: 60_000 });
      const [state, shown] = [await pane.getAttribute('data-state'), await pane.getAttribute('data-frame')];
      if (state !== 'drawn' || shown !== String(frame)) throw new Error(`${state}, frame ${shown}`);
      const png = await page.evaluate<string>(
        `document.querySelector('[data-viewport] canvas').toDataURL('image/png').split(',')[1]`,
      );
      const facts = await person.call<Facts>(`/upload/image/${id}/frames`);
      const byServer = await page.getByText('Drawn by the server').isVisible();
      return { values: await fitted(Buffer.from(png, 'base64'), facts, frame, samples), byServer };
    },
    stop: async () => {
      await browser.close();
      await product.stop();
    },
  };
}

/** Cuts the picture out of the canvas. The viewer fits it into the middle, with the sides that its pixels have. */
async function fitted(png: Buffer, facts: Facts, frame: number, samples: number): Promise<Values> {
  const picture = sharp(png).removeAlpha();
  const { data, info } = await (samples === 3 ? picture : picture.extractChannel(0))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const canvas = { width: info.width, height: info.height, samples, values: data };
  const [row, column] = facts.perFrame?.[frame - 1]?.pixelSpacing ?? facts.pixelSpacing ?? [1, 1];
  const sides = { width: facts.columns * column, height: facts.rows * row };
  const scale = Math.min(info.width / sides.width, info.height / sides.height);
  const [width, height] = [sides.width * scale, sides.height * scale];
  const to = {
    width: Math.min(facts.columns, Math.max(1, Math.floor(width))),
    height: Math.min(facts.rows, Math.max(1, Math.floor(height))),
  };
  return cut(canvas, { left: (info.width - width) / 2, top: (info.height - height) / 2, width, height }, to);
}
