import { limits } from '@lightbox/contract/limits.js';
import { describe, expect, it } from 'vitest';
import { envelopeOf } from '../testing/envelope.js';
import { useGateway } from '../testing/useGateway.js';

const { api } = useGateway();

const filled = (bytes: number): string => JSON.stringify({ email: 'x'.repeat(bytes - '{"email":""}'.length) });

describe('A body of plain JSON is answered as one that goes through the body parser', () => {
  it.each([
    ['an object', '{"email":"nobody@example.org","password":"x"}'],
    ['with the mark of its byte order', '\ufeff{"email":"nobody@example.org","password":"x"}'],
    ['with space around it', ' \n{"email":1}\t '],
    ['space alone', '   '],
    ['the mark alone', '\ufeff'],
    ['text behind the object', '{} {}'],
    ['a text', '"x"'],
    ['true', 'true'],
    ['a list', '[{}]'],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('{"email":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]),
    ],
    ['a name of the prototype', '{"__proto__":{"email":"a@b.example"},"constructor":1}'],
    ['as large as it may be', filled(limits.jsonBytes)],
    ['a byte larger', filled(limits.jsonBytes + 1)],
  ])('%s', async (_, body) => {
    const send = (type: string) => api.raw('/auth/login', type, body);
    const [plain, parsed] = [await send('application/json'), await send('application/json; charset=utf-8')];
    const told = ({ status, body }: typeof plain) => ({ status, ...envelopeOf(body), requestId: '' });
    expect(told(plain)).toEqual(told(parsed));
  });
});
