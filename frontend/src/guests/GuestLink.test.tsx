import { guestLinkStates } from '@lightbox/contract/guests/states.js';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { en } from '../i18n/en';
import { languages } from '../i18n/languages';
import { answer, newest, renderRoutes, renderScreen, turnable } from '../lib/testing';
import { GuestLink } from './GuestLink';
import { GuestViewer } from './GuestViewer';

const id = '6'.repeat(24);
const proof = 'p'.repeat(43);
const show = () => renderRoutes([{ path: '/guest/:link', element: <GuestLink /> }], `/guest/${id}#${proof}`);
const state = (name: string) => ({ body: { data: { state: name, expiresAt: '2099-01-01T00:00:00.000Z' } } });
const clinic = { body: { data: { 'clinic.name': 'Civil Hospital', 'clinic.phone': '042 111 222' } } };

describe('the screen of a guest link', () => {
  it.each(guestLinkStates.filter((one) => one !== 'open'))(
    'A link that is %s says why it does not open, and whom to call.',
    async (name) => {
      answer({ 'POST /guest/state': () => state(name), 'GET /settings/limits': () => clinic });
      show();
      expect(await screen.findByText(en.guests.ended[name].title)).toBeDefined();
      expect(await screen.findByText(/Civil Hospital\W*, phone \W*042 111 222/)).toBeDefined();
      expect(screen.queryByRole('textbox')).toBeNull();
    },
  );

  it('An address that belongs to no link says that it is not complete.', async () => {
    answer({});
    show();
    expect(await screen.findByText(en.guests.ended.unknown.title)).toBeDefined();
  });

  it('A wrong code says how many tries are left; the last one shows that the link is locked.', async () => {
    let left = 2;
    const heard = answer({
      'POST /guest/state': () => state(left > 0 ? 'open' : 'locked'),
      'POST /guest/open': () => {
        left -= 1;
        return { status: 422, body: { error: 'WRONG_CODE', message: 'No.', requestId: 'r', triesLeft: left } };
      },
    });
    show();
    const user = userEvent.setup();
    const enter = async () => {
      await user.click((await screen.findAllByLabelText(/Digit \d of 6/))[0] as HTMLElement);
      await user.keyboard('123456{Enter}');
    };
    await enter();
    expect(await screen.findByText(/1 try left/)).toBeDefined();
    expect(newest(heard, 'POST /guest/open')).toMatchObject({ body: { link: `${id}.${proof}`, code: '123456' } });
    expect(newest(heard, 'POST /guest/open')?.headers.get('Authorization')).toBeNull();
    await enter();
    expect(await screen.findByText(en.guests.ended.locked.title)).toBeDefined();
    expect(JSON.stringify(localStorage)).not.toContain(proof);
  });

  it('The viewer of a guest offers the other language, on a wide screen and on a narrow one.', async () => {
    const screens = turnable();
    try {
      answer({
        'GET /guest/view': () => ({ body: { data: { expiresAt: '2099-01-01T00:00:00.000Z', download: false } } }),
      });
      renderScreen(<GuestViewer token="token" address={`${id}.${proof}`} onLeave={() => undefined} />);
      expect(await screen.findByRole('button', { name: languages.ur.name })).toBeDefined();
      screens.turn('narrow');
      expect(await screen.findByRole('button', { name: languages.ur.name })).toBeDefined();
    } finally {
      screens.restore();
    }
  });

  it('The viewer of a link that has ended says why, and has no panel, on a wide screen and on a narrow one.', async () => {
    const screens = turnable();
    try {
      const refused = () => ({ status: 401, body: { error: 'UNAUTHENTICATED', message: 'No.', requestId: 'r' } });
      answer({ 'POST /guest/state': () => state('revoked'), 'GET /guest/view': refused });
      const leave = () => undefined;
      renderScreen(<GuestViewer token="token" address={`${id}.${proof}`} onLeave={leave} />);
      expect(await screen.findByText(en.guests.ended.revoked.title)).toBeDefined();
      expect(screen.queryByRole('complementary')).toBeNull();
      screens.turn('narrow');
      expect(await screen.findByText(en.guests.ended.revoked.title)).toBeDefined();
      expect(screen.queryByRole('complementary')).toBeNull();
    } finally {
      screens.restore();
    }
  });
});
