import { describe, expect, it } from 'vitest';
import { partsOf } from './links';

const links = (text: string) => partsOf(text).filter(({ href }) => href !== undefined);
const hrefs = (text: string) => links(text).map(({ href }) => href);
const whole = (text: string) =>
  partsOf(text)
    .map((part) => part.text)
    .join('');

describe('links in messages', () => {
  it.each([
    ['See https://example.org/a?b=1#c.', ['https://example.org/a?b=1#c']],
    ['(http://example.org)', ['http://example.org/']],
    ['HTTPS://EXAMPLE.ORG', ['https://example.org/']],
    ['hina@clinic.test, please', ['mailto:hina@clinic.test']],
    ['Call +92 300 1234567 or 021-111-222-333.', ['tel:+923001234567', 'tel:021111222333']],
    ['https://example.org/00923001234567', ['https://example.org/00923001234567']],
    ['a https://a.example b https://b.example', ['https://a.example/', 'https://b.example/']],
  ])('%j has the links %j.', (text, expected) => {
    expect(hrefs(text)).toEqual(expected);
    expect(whole(text)).toBe(text);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)//https',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.org/1',
    '//example.org/x',
    'ftp://example.org/x',
    'example.org',
    'mailto:a@b.example?subject=x&body=y',
    'https://clinic.example@evil.example/',
    'https://clinic.example:80@evil.example/',
    'a@b.example?bcc=c@d.example',
    'https://exa\u200Bmple.org',
    'https://example.org/\u202Egnp.exe\u202C',
    'https://example.org/\u2066x',
    'https://\u00ADexample.org',
    'http://',
    'https://exa mple',
    '2026-11-22 10:15',
    'Version 10.0.12345678',
    'MRN-0012345678',
    '12345678',
    '0.12345678',
    'https:\\\\evil.example',
  ])('%j leads nowhere that it does not say.', (text) => {
    for (const { href, text: shown } of links(text)) {
      // A part of the text may be an honest link: then its text is exactly its address.
      expect(href, shown).toMatch(/^(https?:\/\/|mailto:[^?]*$)/);
      expect(new URL(href ?? '').href).toBe(new URL(shown.includes('@') ? `mailto:${shown}` : shown).href);
      expect(new URL(href ?? '').hostname).not.toBe('evil.example');
    }
  });

  it('An override of the direction is not shown, so no letters stand in another order than they were written.', () => {
    expect(whole('photo\u202Egpj.exe')).toBe('photogpj.exe');
    // Marks and embeddings stay: texts in Urdu with English words need them.
    expect(whole('\u2067اردو\u2069 x\u200F')).toBe('\u2067اردو\u2069 x\u200F');
  });

  it.each([
    ['https://p\u0430ypal.com/login', 'xn--pypal-4ve.com'],
    ['https://\u0430\u0440\u0440\u04CF\u0435.com', 'xn--80ak6aa92e.com'],
    ['https://b\u00FCcher.example', undefined],
    ['https://\u043F\u0440\u0438\u043C\u0435\u0440.\u0440\u0444', undefined],
  ])('Of %j the host in ASCII is %j.', (text, host) => {
    expect(links(text)).toMatchObject([{ text, ...(host ? { host } : {}) }]);
    expect(links(text)[0]?.host).toBe(host);
  });

  it('A link to this product opens inside, and one to a host with a similar name does not.', () => {
    const { origin } = window.location;
    expect(links(`${origin}/view-images?image=1#x`)).toMatchObject([{ inside: '/view-images?image=1#x' }]);
    for (const other of [
      `${origin}.evil.example/x`,
      `${origin.replace('http', 'https')}/x`,
      // Inside, its path alone would be the address of another host.
      `${origin}//evil.example/login`,
    ]) {
      expect(links(other)[0]?.inside).toBeUndefined();
    }
  });
});
