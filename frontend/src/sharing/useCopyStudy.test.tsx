import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { answer, renderScreen, sana } from '../lib/testing';
import { useCopyStudy } from './useCopyStudy';

const [one, two] = ['1'.repeat(24), '2'.repeat(24)] as const;
const studyId = 'e'.repeat(24);
const place = { x0: 1, y0: 1, x1: 9, y1: 9 };
const wanted = (x1: number) => [
  { id: one, n: 1, rectangles: [{ ...place, x1 }] },
  { id: two, n: 2, rectangles: [] },
];
const fewer = wanted(9).slice(0, 1);

beforeEach(() => startSession(sana, 'token'));

function Copies() {
  const { copy, error, isPending } = useCopyStudy(() => undefined);
  return (
    <>
      <button type="button" disabled={isPending} onClick={() => copy({ images: wanted(9), noTextLeft: false })}>
        first
      </button>
      <button type="button" disabled={isPending} onClick={() => copy({ images: wanted(5), noTextLeft: false })}>
        changed
      </button>
      <button type="button" disabled={isPending} onClick={() => copy({ images: fewer, noTextLeft: false })}>
        fewer
      </button>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}

/** A gateway that makes each copy, and whose answer about one image is lost the first time. */
function losing(lost: string) {
  const keys = new Map<string, string>();
  let losses = 1;
  const make = (id: string) => ({
    [`POST /upload/image/${id}/blackout`]: ({ body, headers }: { body: unknown; headers: Headers }) => {
      const [key, text] = [headers.get('Idempotency-Key') ?? '', JSON.stringify(body)];
      if (keys.has(key) && keys.get(key) !== text) return { status: 422, body: { error: 'IDEMPOTENCY_KEY_REUSED' } };
      keys.set(key, text);
      if (id === lost && losses-- > 0) return { status: 502, body: { error: 'INTERNAL' } };
      return { status: 201, body: { data: { id: 'c'.repeat(24), studyId } } };
    },
  });
  return answer({
    ...make(one),
    ...make(two),
    [`GET /studies/${studyId}`]: () => ({ body: { data: { id: studyId, title: '', kind: 'dicom', imageCount: 2 } } }),
    [`DELETE /studies/${studyId}`]: () => ({ body: {} }),
  });
}

const madeOf = (heard: ReturnType<typeof answer>) =>
  heard.map(({ method, path }) => `${method} ${path.replace('/upload/image/', '')}`);

it('After a lost answer, the same wish is sent with the same key, and its copy is made once.', async () => {
  const heard = losing(two);
  const user = userEvent.setup();
  renderScreen(<Copies />);
  await user.click(screen.getByText('first'));
  await screen.findByRole('alert');
  await user.click(screen.getByText('first'));
  await waitFor(() => expect(heard.at(-1)?.path).toBe(`/studies/${studyId}`));
  const [, lost, again] = heard;
  expect(again?.headers.get('Idempotency-Key')).toBe(lost?.headers.get('Idempotency-Key'));
  expect(heard.map(({ method }) => method)).not.toContain('DELETE');
});

it.each([
  ['of the first image', one, 1],
  ['of a later image', two, 2],
])(
  'After a lost answer %s, other rectangles begin a new study, and the begun one is deleted.',
  async (_, id, asked) => {
    const heard = losing(id);
    const user = userEvent.setup();
    renderScreen(<Copies />);
    await user.click(screen.getByText('first'));
    await screen.findByRole('alert');
    expect(madeOf(heard).filter((call) => call.endsWith('blackout'))).toHaveLength(asked);
    await user.click(screen.getByText('changed'));
    await waitFor(() => expect(heard.at(-1)?.path).toBe(`/studies/${studyId}`));
    expect(heard.at(-1)?.method).toBe('GET');
    expect(madeOf(heard).slice(-4)).toEqual([
      `DELETE /studies/${studyId}`,
      `POST ${one}/blackout`,
      `POST ${two}/blackout`,
      `GET /studies/${studyId}`,
    ]);
    expect(heard.at(-3)?.body).toMatchObject({ rectangles: [{ x1: 5 }], studyTitle: expect.anything() });
    expect(screen.queryByRole('alert')).toBeNull();
  },
);

it('Of fewer images a new study is made: the begun one would wait for the others and never be shared.', async () => {
  const heard = losing(two);
  const user = userEvent.setup();
  renderScreen(<Copies />);
  await user.click(screen.getByText('first'));
  await screen.findByRole('alert');
  await user.click(screen.getByText('fewer'));
  await waitFor(() => expect(heard.at(-1)?.method).toBe('GET'));
  expect(madeOf(heard).slice(-3)).toEqual([
    `DELETE /studies/${studyId}`,
    `POST ${one}/blackout`,
    `GET /studies/${studyId}`,
  ]);
  expect([heard[0]?.body, heard.at(-2)?.body]).toMatchObject([{ studyCopies: 2 }, { studyCopies: 1 }]);
});
