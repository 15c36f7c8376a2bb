import { beforeAll, expect, test } from 'vitest';
import { compress, encapsulatedFile } from '../../testing/dicom.js';
import { GREY, greys, prepared, seen, words } from '../../testing/prepared.js';
import { loadCodecs } from './codecs.js';

beforeAll(loadCodecs);

test('A file is drawn, although the files before it damaged the memory of its codec.', async () => {
  const stream = compress('encodeJpeg2000', GREY, words);
  const cut = encapsulatedFile(GREY, '1.2.840.10008.1.2.4.90', [stream.subarray(0, 60)]);
  for (let i = 0; i < 20; i++) expect((await prepared(cut)).preview).toBeNull();
  expect(await seen(encapsulatedFile(GREY, '1.2.840.10008.1.2.4.90', [stream]))).toEqual(greys);
});
