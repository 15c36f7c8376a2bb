import { describe, expect, it } from 'vitest';
import { limits } from '../limits.js';
import { MessageContent } from './calls.js';
import { messageFault } from './content.js';

const id = (n: number) => n.toString(16).padStart(24, '0');
const ids = (count: number) => Array.from({ length: count }, (_, n) => id(n));

describe('the check of a message in the browser', () => {
  it.each([
    { content: 'Good morning' },
    { content: '' },
    { content: 'a'.repeat(limits.messageLength) },
    { content: 'a'.repeat(limits.messageLength + 1) },
    { content: '😀'.repeat(limits.messageLength) },
    { content: '😀'.repeat(limits.messageLength + 1) },
    { content: 'a\0b' },
    { content: 'a\uD800' },
    { content: '', images: ids(1) },
    { content: '', images: ids(limits.messageImages + 1) },
  ])('It says the same as the schema of the gateway ($content).', (message) => {
    const { error } = MessageContent.safeParse(message);
    expect(messageFault(message)).toBe(error?.issues[0]?.message);
  });
});
