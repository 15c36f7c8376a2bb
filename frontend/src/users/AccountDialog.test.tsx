import type { UserRow } from '@lightbox/contract/users/schemas.js';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { endSession, startSession } from '../auth/session';
import { opened, renderScreen } from '../lib/testing';
import { toast } from '../lib/toaster';
import { AccountDialog } from './AccountDialog';

const id = (n: number) => n.toString(16).padStart(24, '0');
const row = (n: number) =>
  ({ id: id(n), firstname: 'Person', lastname: String(n), active: true, role: 'patient' }) as UserRow;
const admin = (n: number) => ({
  id: id(n),
  email: `a${n}@example.org`,
  username: `a${n}`,
  firstname: 'Mariam',
  lastname: 'Yousaf',
  active: true,
  role: { name: 'admin' as const },
});

/** Deactivates two accounts. The answer about the second comes when the returned function is called. */
async function deactivateTwo() {
  const told = vi.spyOn(toast, 'success').mockClear();
  const done = vi.fn();
  let answerSecond = () => {};
  const ok = () => new Response(JSON.stringify({ data: {} }), { headers: { 'Content-Type': 'application/json' } });
  const asked: unknown[] = [];
  globalThis.fetch = async (input, init) => {
    if (String(input).includes('toggleUserStatus')) asked.push(JSON.parse(String(init?.body ?? null)));
    if (!String(input).includes(id(2))) return ok();
    return new Promise((resolve) => {
      answerSecond = () => resolve(ok());
    });
  };
  startSession(admin(98), 'token');
  renderScreen(<AccountDialog act="deactivate" users={[row(1), row(2)]} onClose={() => {}} onDone={done} />);
  await opened('alertdialog');
  await userEvent.click(screen.getByRole('button', { name: 'Deactivate' }));
  await waitFor(() => expect(asked).toEqual([{ active: false }, { active: false }]));
  return { told, done, finish: () => act(async () => answerSecond()) };
}

describe('several accounts at once', () => {
  it('A person is told how many accounts they changed, after the last answer.', async () => {
    const { told, done, finish } = await deactivateTwo();
    expect(told).not.toHaveBeenCalled();
    await finish();
    await waitFor(() => expect(done).toHaveBeenCalled());
    expect(told).toHaveBeenCalledWith('2 accounts were changed.');
  });

  it('The next person is not told of accounts that the last one changed.', async () => {
    const { told, done, finish } = await deactivateTwo();
    act(() => endSession('logout'));
    act(() => startSession(admin(99), 'another'));
    await finish();
    // The last answer has arrived.
    await waitFor(() => expect(screen.getByRole('button', { name: 'Deactivate' }).dataset.loading).toBeUndefined());
    expect(told).not.toHaveBeenCalled();
    expect(done).not.toHaveBeenCalled();
  });
});
