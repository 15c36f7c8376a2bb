import '../i18n';
import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseLanguage } from '../i18n';
import { renderScreen } from '../lib/testing';
import { Landing } from './Landing';

const answers = (response: () => Promise<Response>) => {
  globalThis.fetch = vi.fn(async (address) =>
    String(address).endsWith('/settings/limits') ? response() : new Response('{}', { status: 404 }),
  );
};

describe('the limits on the landing page', () => {
  afterEach(() => chooseLanguage('en'));

  it('The landing page shows the current limits, without a session.', async () => {
    answers(
      async () =>
        new Response(JSON.stringify({ data: { 'upload.maxBytes': 25 * 1024 ** 2, 'sharing.expiryHours': 48 } })),
    );
    renderScreen(<Landing />);
    expect(await screen.findByText(/up to 25 MB\. Lightbox checks/)).toBeTruthy();
    expect(screen.getByText(/The default is 48 hours/)).toBeTruthy();
    const [[, options] = []] = vi.mocked(globalThis.fetch).mock.calls;
    expect(new Headers(options?.headers).has('Authorization')).toBe(false);
  });

  it('The landing page shows the default limits while the server does not answer.', async () => {
    answers(async () => new Response('{}', { status: 503 }));
    renderScreen(<Landing />);
    expect(await screen.findByText(/up to 10 MB\. Lightbox checks/)).toBeTruthy();
    expect(screen.getByText(/The default is 24 hours/)).toBeTruthy();
  });

  it('The landing page shows the limits in Urdu.', async () => {
    answers(
      async () =>
        new Response(JSON.stringify({ data: { 'upload.maxBytes': 25 * 1024 ** 2, 'sharing.expiryHours': 48 } })),
    );
    await chooseLanguage('ur');
    renderScreen(<Landing />);
    expect(await screen.findByText(/25 MB/)).toBeTruthy();
    expect(screen.getByText(/48 گھنٹے/)).toBeTruthy();
  });
});
