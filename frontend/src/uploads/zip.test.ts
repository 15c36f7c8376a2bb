import { BlobReader, BlobWriter, TextReader, ZipWriter, type ZipWriterAddDataOptions } from '@zip.js/zip.js';
import { describe, expect, it } from 'vitest';
import { openZip, ZipError, type ZipFault } from './zip';

const bare = { useWebWorkers: false };

async function zipOf(files: Record<string, string | Blob>, options: ZipWriterAddDataOptions = {}): Promise<Blob> {
  const writer = new ZipWriter(new BlobWriter(), bare);
  for (const [name, content] of Object.entries(files)) {
    await writer.add(name, typeof content === 'string' ? new TextReader(content) : new BlobReader(content), options);
  }
  return writer.close();
}

const faultOf = (zip: Blob): Promise<ZipFault | undefined> =>
  openZip(zip).then(
    () => undefined,
    (error: unknown) => (error instanceof ZipError ? error.fault : undefined),
  );

/** Replaces a number of four bytes in every header of the zip that has it. */
async function patched(zip: Blob, from: number, to: number): Promise<Blob> {
  const bytes = new Uint8Array(await zip.arrayBuffer());
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 4 <= bytes.length; at += 1) if (view.getUint32(at, true) === from) view.setUint32(at, to, true);
  return new Blob([bytes]);
}

describe('a zip', () => {
  it('The files of a zip are read one by one, with the name without folders.', async () => {
    const zip = await openZip(await zipOf({ 'disc/A/IM1': 'first file', 'disc\\A\\IM2': 'second' }));
    expect(zip.encrypted).toBe(false);
    expect(zip.sources.map(({ name, size }) => [name, size])).toEqual([
      ['IM1', 10],
      ['IM2', 6],
    ]);
    expect(await (await zip.sources[0]?.head(5))?.text()).toBe('first');
    expect(await (await zip.sources[1]?.open())?.text()).toBe('second');
  });

  it('An encrypted zip opens with its password only.', async () => {
    const zip = await openZip(await zipOf({ IM1: 'secret' }, { password: 'right', encryptionStrength: 1 }));
    expect(zip.encrypted).toBe(true);
    for (const wrong of ['wrong', '']) expect(await zip.unlock(wrong)).toBe(false);
    expect(await zip.unlock('right')).toBe(true);
    expect(await (await zip.sources[0]?.open())?.text()).toBe('secret');
  });

  it('A zip that is none is damaged.', async () => {
    expect(await faultOf(new Blob(['PK\u0003\u0004 and no more']))).toBe('damaged');
  });

  it('A zip that unpacks to far more than it is, is not opened.', async () => {
    // The zip only says that it is so large: nothing has to be unpacked to know it.
    const zip = await zipOf({ IM1: 'abcdefg' }, { level: 0 });
    expect(await faultOf(await patched(zip, 7, 70 * 1024 ** 2))).toBe('suspicious');
    expect(await faultOf(await patched(zip, 7, 0xfffffffe))).toBe('suspicious');
  });

  it('A file that is longer than its zip says is refused when it is unpacked.', async () => {
    const zip = await zipOf({ IM1: new Blob(['x'.repeat(100_000)]) });
    const opened = await openZip(await patched(zip, 100_000, 1000));
    expect(opened.sources[0]?.size).toBe(1000);
    await expect(opened.sources[0]?.open()).rejects.toThrow();
  });

  it('A zip of more files than the limit is not opened.', async () => {
    const zip = await zipOf({ a: '1', b: '2', c: '3' });
    await expect(openZip(zip, 2)).rejects.toMatchObject({ fault: 'tooMany' });
    expect((await openZip(zip, 3)).sources).toHaveLength(3);
  });
});
