import { ChakraProvider } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, useLocation } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { system } from '../theme/system';
import { fromMail } from './mail';
import { VerifyDialog } from './VerifyDialog';

const shareId = '673dc1f04b9e2a7705c81d3e';
const image: Image = {
  id: '9'.repeat(24),
  caption: 'Knee AP <weight bearing>',
  contentType: 'image/png',
  createAt: '2026-11-19T10:00:00.000Z',
  isVerified: false,
  isShared: true,
  image_url: null,
  sharedBy: { id: '2'.repeat(24), firstname: 'Omar', lastname: 'Siddiqui' },
  shareId,
  expiresAt: '2099-01-01T00:00:00.000Z',
};

const asked = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();
const answer = (status: number, body: object) => new Response(JSON.stringify(body), { status });
const refusal = (status: number, error: string, extra = {}) =>
  asked.mockImplementation(async () => answer(status, { message: 'No.', error, requestId: 'r', ...extra }));

/** Shows the address and the state to which a link of the dialog leads. */
function Place() {
  const { pathname, search, state } = useLocation();
  return <output data-testid="place">{`${pathname}${search} ${state?.draft ?? ''}`}</output>;
}

function show(props: Partial<Parameters<typeof VerifyDialog>[0]> = {}) {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const onOpen = vi.fn();
  render(
    <QueryClientProvider client={cache}>
      <ChakraProvider value={system}>
        <MemoryRouter>
          <VerifyDialog open shareId={shareId} image={image} onClose={() => {}} onOpen={onOpen} {...props} />
          <Place />
        </MemoryRouter>
      </ChakraProvider>
    </QueryClientProvider>,
  );
  return { onOpen, user: userEvent.setup() };
}
const boxes = () => screen.findAllByLabelText(/Digit \d of 6/);
async function enter(user: ReturnType<typeof userEvent.setup>, code: string) {
  for (const [index, box] of (await boxes()).entries()) await user.type(box, code[index] ?? '');
  await user.click(screen.getByRole('button', { name: 'Verify' }));
}
const verifications = () => asked.mock.calls.filter(([url]) => url.endsWith('/sharing/verify'));

beforeEach(() => {
  asked.mockReset();
  vi.stubGlobal('fetch', asked);
});
afterEach(() => vi.unstubAllGlobals());

describe('Verify Image', () => {
  it('The dialog shows the known id and the sender, and sends the id with the code.', async () => {
    asked.mockImplementation(async (url) =>
      url.endsWith('/sharing/verify')
        ? answer(200, { data: { imagemetadataId: image.id, isVerified: true } })
        : answer(200, { data: { ...image, isVerified: true, image_url: 'data:image/webp;base64,AA' } }),
    );
    const { user, onOpen } = show();
    expect(await screen.findByLabelText('Enter Image Sharing Id:')).toHaveProperty('value', shareId);
    expect(screen.getByText('Omar Siddiqui')).toBeTruthy();
    expect(screen.getByText('Knee AP <weight bearing>')).toBeTruthy();
    await enter(user, '407312');
    expect(await screen.findByRole('dialog', { name: 'You can see it now.' })).toBeTruthy();
    expect(verifications()).toHaveLength(1);
    expect(JSON.parse(String(verifications()[0]?.[1].body))).toEqual({
      sharingRequestId: shareId,
      verificationCode: '407312',
    });
    expect(screen.getByRole('img', { name: /Knee AP/ })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Open image' }));
    expect(onOpen).toHaveBeenCalledWith(expect.objectContaining({ id: image.id, isVerified: true }));
  });

  it('A wrong code empties the boxes and shows how many tries are left.', async () => {
    refusal(422, 'WRONG_CODE', { triesLeft: 4 });
    const { user } = show();
    await enter(user, '000000');
    expect(await screen.findByText('That code didn’t match. 4 tries left.')).toBeTruthy();
    await waitFor(async () => expect((await boxes()).map((box) => (box as HTMLInputElement).value).join('')).toBe(''));
  });

  it.each([
    ['CODE_LOCKED', 423, {}, 'This image is locked.'],
    ['WRONG_CODE', 422, { triesLeft: 0 }, 'This image is locked.'],
    ['EXPIRED', 410, {}, 'Access has ended.'],
  ])('After %s (%i) the dialog asks for no more codes and says who can help.', async (code, status, extra, title) => {
    refusal(status, code, extra);
    const { user } = show();
    await enter(user, '000000');
    expect(await screen.findByText(title)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Verify' })).toBeNull();
    expect(screen.queryAllByLabelText(/Digit \d of 6/)).toHaveLength(0);
    expect(screen.queryAllByRole('button', { name: 'Send the code again' })).toHaveLength(code === 'EXPIRED' ? 0 : 1);
    await user.click(screen.getByRole('link', { name: 'Ask Omar' }));
    const need = code === 'EXPIRED' ? /my access to Share 1D3E has ended/ : /I need a new code for Share 1D3E/;
    expect(screen.getByTestId('place').textContent).toMatch(need);
    expect(screen.getByTestId('place').textContent).toContain(`/messages?chat=${image.sharedBy?.id} `);
  });

  it('A locked card is shown as locked at once, and a new code opens the boxes again.', async () => {
    const { user } = show({ image: { ...image, isLocked: true } });
    expect(await screen.findByText('This image is locked.')).toBeTruthy();
    expect(screen.getByText('Share 1D3E')).toBeTruthy();
    asked.mockImplementation(async () => answer(200, { data: null }));
    await user.click(screen.getByRole('button', { name: 'Send the code again' }));
    expect(await boxes()).toHaveLength(6);
    expect(asked.mock.calls.map(([url]) => url)).toContain(`/api/sharing/${shareId}/resend`);
    expect(await screen.findByText(/We are emailing a new code/)).toBeTruthy();
    expect(screen.getByRole('button', { name: /Send again in [01]:\d\d/ })).toHaveProperty('disabled', true);
  });

  it('A code that is typed before the answer to “Send the code again” stays, and the one before it is dropped.', async () => {
    const { user } = show();
    let end = (_: Response) => {};
    asked.mockImplementation(() => new Promise<Response>((resolve) => (end = resolve)));
    const typed = async () => (await boxes()).map((box) => (box as HTMLInputElement).value).join('');
    await user.type((await boxes())[0] as HTMLElement, '1');
    await user.click(screen.getByRole('button', { name: 'Send the code again' }));
    expect(await typed()).toBe('');
    await user.type((await boxes())[0] as HTMLElement, '4');
    end(answer(200, { data: null }));
    expect(await screen.findByText(/We are emailing a new code/)).toBeTruthy();
    expect(await typed()).toBe('4');
  });

  it('A code of another share names it, and goes on with that share.', async () => {
    const belongsTo = '673dc1f04b9e2a7705c888f2';
    refusal(422, 'WRONG_CODE', { triesLeft: 3, belongsTo });
    const { user } = show();
    await enter(user, '407312');
    expect(await screen.findByText('This code belongs to Share 88F2. 3 tries left here.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Use it for Share 88F2' }));
    expect(screen.getByLabelText('Enter Image Sharing Id:')).toHaveProperty('value', belongsTo);
    await user.click(screen.getByRole('button', { name: 'Verify' }));
    await waitFor(() => expect(verifications()).toHaveLength(2));
    expect(JSON.parse(String(verifications()[1]?.[1].body))).toEqual({
      sharingRequestId: belongsTo,
      verificationCode: '407312',
    });
  });

  it('With a wrong id and no code the focus moves to the id.', async () => {
    const { user } = show();
    await user.clear(await screen.findByLabelText('Enter Image Sharing Id:'));
    await user.type(screen.getByLabelText('Enter Image Sharing Id:'), 'abc');
    await user.click(screen.getByRole('button', { name: 'Verify' }));
    expect(await screen.findByText(/Copy it from the email/)).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText('Enter Image Sharing Id:'));
  });

  it('An unknown id shows the error at its field.', async () => {
    refusal(404, 'NOT_FOUND');
    const { user } = show();
    await enter(user, '000000');
    expect(await screen.findByText(/not for your account/)).toBeTruthy();
  });

  it('Both fields are checked before the request.', async () => {
    const { user } = show({ shareId: '', image: undefined });
    await user.click(await screen.findByRole('button', { name: 'Verify' }));
    expect(await screen.findByText(/Copy it from the email/)).toBeTruthy();
    expect(screen.getByText('Please enter a valid 6-digit OTP.')).toBeTruthy();
    expect(asked).not.toHaveBeenCalled();
  });
});

it('A pasted mail fills the id and the code.', () => {
  expect(fromMail(`Hello,\nSharing id: ${shareId}\nCode: 407312\nLink: http://x/view-images?share=${shareId}`)).toEqual(
    {
      id: shareId,
      code: '407312',
    },
  );
  const other = '673dc1f04b9e2a7705c888f2';
  const two = `Share 88F2\nSharing id: ${other}\nCode: 395484\n\nSharing id: ${shareId}\nCode: 407312\nLink: x?share=${other}`;
  expect(fromMail(two)).toEqual({ id: other, code: '395484' });
  expect(fromMail(two, shareId)).toEqual({ id: shareId, code: '407312' });
  expect(fromMail(` ${shareId.toUpperCase()} `)).toEqual({ id: shareId });
  expect(fromMail('nothing')).toEqual({});
});
