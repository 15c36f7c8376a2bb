import { bigElement, partTen, syntaxes } from '@lightbox/testkit/part10.js';
import { afterAll, describe, expect, it } from 'vitest';
import { closeInspectors } from '../files/inspectionPool.js';
import { dicomWebOf, fresh, jsonOf, partsIn, uidOf } from '../testing/dicomWeb.js';
import { buildProvider } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
const { tokenOf, ask, storeFiles } = dicomWebOf({ test, api });

afterAll(closeInspectors);

const octets = 'application/octet-stream';

/** Bytes that count from 1, and the same in the other order of each number. */
const counted = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i + 1) & 0xff));
const turn = { 2: 'swap16', 4: 'swap32', 8: 'swap64' } as const;
const inLittle = (bytes: Buffer, word: 1 | keyof typeof turn): Buffer =>
  word === 1 ? bytes : Buffer.from(bytes)[turn[word]]();

const us = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const text = (value: string) => Buffer.from(value.length % 2 === 0 ? value : `${value}\0`, 'latin1');
const header = (study: string, bits: number, [rows, columns]: readonly [number, number], frames: number) => [
  bigElement(0x00080016, 'UI', text('1.2.840.10008.5.1.4.1.1.7')),
  bigElement(0x00080018, 'UI', text(`${study}.1.1`)),
  bigElement(0x00080060, 'CS', text('OT')),
  bigElement(0x0020000d, 'UI', text(study)),
  bigElement(0x0020000e, 'UI', text(`${study}.1`)),
  bigElement(0x00280002, 'US', us(1)),
  bigElement(0x00280004, 'CS', Buffer.from('MONOCHROME2 ')),
  bigElement(0x00280008, 'IS', Buffer.from(`${frames} `)),
  bigElement(0x00280010, 'US', us(rows)),
  bigElement(0x00280011, 'US', us(columns)),
  bigElement(0x00280100, 'US', us(bits)),
  bigElement(0x00280101, 'US', us(bits)),
  bigElement(0x00280102, 'US', us(bits - 1)),
  bigElement(0x00280103, 'US', us(0)),
];

async function stored(build: (study: string) => Buffer[]) {
  const study = uidOf(fresh());
  const { token } = await tokenOf(await buildProvider(test.gateway));
  const file = partTen(Buffer.concat(build(study)), syntaxes.big);
  expect(await storeFiles(token, [file])).toMatchObject({ status: 200 });
  const path = `/studies/${study}/series/${study}.1/instances/${study}.1.1`;
  const bulk = async (element: string) => {
    const answer = await ask(token, `${path}/bulkdata/${element}`, { Accept: octets });
    return Buffer.from(await answer.arrayBuffer());
  };
  const metadata = async () => (await jsonOf(await ask(token, `${path}/metadata`)))[0];
  const frames = async (named: string) =>
    partsIn(await ask(token, `${path}/frames/${named}`, { Accept: `multipart/related; type="${octets}"` }));
  return { bulk, metadata, frames };
}

describe('a big endian file', () => {
  it('gives out numbers in bytes in little endian, as the type of the bytes says', async () => {
    const vrs = ['OB', 'OW', 'OF', 'OL', 'OD', 'OV'] as const;
    const words = { OB: 1, OW: 2, OF: 4, OL: 4, OD: 8, OV: 8 } as const;
    const [short, long] = [counted(16), counted(2_000)];
    const lut = (value: Buffer) => {
      const descriptor = Buffer.concat([us(value.length / 2), us(0), us(16)]);
      const body = Buffer.concat([bigElement(0x00283002, 'US', descriptor), bigElement(0x00283006, 'OW', value)]);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length);
      return Buffer.concat([Buffer.from('fffee000', 'hex'), length, body]);
    };
    const { bulk, metadata } = await stored((study) => [
      ...header(study, 16, [4, 4], 1),
      bigElement(0x00283010, 'SQ', Buffer.concat([lut(short), lut(long)])),
      bigElement(0x00990010, 'LO', Buffer.from('TEST')),
      ...vrs.flatMap((vr, i) => [bigElement(0x00991000 + i, vr, short), bigElement(0x00991010 + i, vr, long)]),
      bigElement(0x7fe00010, 'OW', counted(32)),
    ]);
    const json = await metadata();
    for (const [i, vr] of vrs.entries()) {
      const inline = Buffer.from(json[`0099100${i}`].InlineBinary, 'base64');
      expect([vr, inline]).toEqual([vr, inLittle(short, words[vr])]);
      expect([vr, await bulk(`0099101${i}`)]).toEqual([vr, inLittle(long, words[vr])]);
    }
    const [inline, address] = json['00283010'].Value.map((one: Record<string, unknown>) => one['00283006']);
    expect(Buffer.from(inline.InlineBinary, 'base64')).toEqual(inLittle(short, 2));
    expect(address.BulkDataURI).toMatch(/00283010\.1\.00283006$/);
    expect(await bulk('00283010.1.00283006')).toEqual(inLittle(long, 2));
    expect(await bulk('7FE00010')).toEqual(inLittle(counted(32), 2));
  });

  it.each([
    ['16 bits in words', 16, 'OW', 2],
    ['8 bits in words', 8, 'OW', 2],
    ['8 bits in bytes', 8, 'OB', 1],
    ['32 bits', 32, 'OW', 4],
  ] as const)('gives out frames of %s in little endian', async (_what, bits, vr, word) => {
    // Frames of an odd number of samples: of 8 bits, the second one begins within a word.
    const samples = 15;
    const size = (samples * bits) / 8;
    const pixels = counted(2 * size);
    const { bulk, frames } = await stored((study) => [
      ...header(study, bits, [3, 5], 2),
      bigElement(0x7fe00010, vr, pixels),
    ]);
    const little = inLittle(pixels, word);
    const type = `${octets}; transfer-syntax=${syntaxes.explicit}`;
    expect(await frames('2,1')).toEqual([
      { type, bytes: little.subarray(size) },
      { type, bytes: little.subarray(0, size) },
    ]);
    expect(await bulk('7FE00010')).toEqual(little);
  });

  it('gives out its last frame where the byte is missing that fills the last word', async () => {
    const pixels = counted(15);
    const { bulk, frames } = await stored((study) => [
      ...header(study, 8, [3, 5], 1),
      bigElement(0x7fe00010, 'OW', pixels),
    ]);
    const little = Buffer.concat([inLittle(pixels.subarray(0, 14), 2), pixels.subarray(14)]);
    expect((await frames('1')).map(({ bytes }) => bytes)).toEqual([little]);
    expect(await bulk('7FE00010')).toEqual(little);
  });
});
