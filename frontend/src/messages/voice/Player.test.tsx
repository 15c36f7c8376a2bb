import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import '../../i18n/signedIn';
import '../../i18n/further';
import { Theme } from '../../theme/Theme';
import { Player } from './Player';

// jsdom plays nothing.
const play = vi.fn(async () => {});
beforeEach(() => {
  play.mockClear();
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(play);
  vi.spyOn(HTMLMediaElement.prototype, 'pause').mockImplementation(() => {});
  Object.assign(URL, { createObjectURL: () => 'blob:voice', revokeObjectURL: () => {} });
});
afterEach(() => void vi.restoreAllMocks());

/** Presses play, and waits until the browser reads the recording. */
async function begin() {
  const voice = { contentType: 'audio/webm', seconds: 5, data: btoa('x') } as const;
  const { container, unmount } = render(
    <Theme>
      <Player voice={voice} />
    </Theme>,
  );
  const audio = container.querySelector('audio') as HTMLAudioElement;
  fireEvent.click(screen.getByRole('button', { name: 'Play' }));
  await waitFor(() => expect(audio.getAttribute('src')).toBe('blob:voice'));
  return { audio, unmount };
}

it('A voice message sounds once the browser knows its length.', async () => {
  const { audio } = await begin();
  expect(play).not.toHaveBeenCalled();
  fireEvent(audio, new Event('loadedmetadata'));
  await waitFor(() => expect(play).toHaveBeenCalledTimes(1));
});

it('A voice message does not begin to sound after the chat was left.', async () => {
  const { audio, unmount } = await begin();
  unmount();
  fireEvent(audio, new Event('loadedmetadata'));
  await new Promise((turn) => setTimeout(turn));
  expect(play).not.toHaveBeenCalled();
});
