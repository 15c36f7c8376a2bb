import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, renderScreen, sana } from '../lib/testing';
import { ShareImage } from './ShareImage';

const id = 'c'.repeat(24);
const mine = {
  id,
  caption: 'Left hand, after fall',
  contentType: 'image/jpeg',
  createAt: '2026-11-19T14:05:31.000Z',
  isVerified: true,
  isShared: false,
  image_url: null,
};
const list = { 'GET /upload/my-images': () => ({ body: { data: [mine] } }) };

beforeEach(() => startSession(sana, 'token'));

describe('links to images', () => {
  it('A link to an own image is an address in the product, and is offered to no social network.', async () => {
    answer(list);
    const user = userEvent.setup();
    renderScreen(<ShareImage />, '/share-image');
    await user.click(await screen.findByRole('button', { name: 'Copy Link to Left hand, after fall' }));
    await screen.findByText('Link copied to clipboard!');
    expect(await navigator.clipboard.readText()).toBe(`${location.origin}/view-images?image=${id}`);
    const card = screen.getByRole('link', { name: 'Left hand, after fall' }).closest('article') as HTMLElement;
    expect(within(card).queryByRole('link', { name: /Facebook|X$/ })).toBeNull();
    const mail = within(card).getByRole('link', { name: /Email/ }).getAttribute('href');
    expect(mail).toContain('subject=Check%20out%20this%20image');
    expect(mail).not.toContain('hand');
  });

  it('A link to a sample is offered to social networks, and the address names the chosen sample.', async () => {
    answer(list);
    const router = renderScreen(<ShareImage />, '/share-image');
    const thumbs = await screen.findByRole('group', { name: 'Choose a sample' });
    expect(within(thumbs).getAllByRole('button')).toHaveLength(4);
    await userEvent.click(within(thumbs).getByRole('button', { name: 'Left hand' }));
    await screen.findByRole('img', { name: 'Picture of Left hand' });
    expect(router.state.location.search).toBe('?sample=hand-xray');
    const social = screen.getByRole('link', { name: 'Share on Facebook' });
    expect(social.getAttribute('href')).toContain(encodeURIComponent('/samples/hand-xray.webp'));
  });

  it('A patient, who uploads nothing, sees only the samples.', async () => {
    const heard = answer(list);
    startSession({ ...sana, role: { name: 'patient' } }, 'token');
    renderScreen(<ShareImage />, '/share-image');
    await screen.findByRole('heading', { name: 'Samples' });
    expect(screen.queryByRole('heading', { name: 'Your images' })).toBeNull();
    expect(heard).toHaveLength(0);
  });
});
