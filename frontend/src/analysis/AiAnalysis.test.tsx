import type { AnalysisAnswer, AnalysisTarget } from '@lightbox/contract/analysis/schemas.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { startSession } from '../auth/session';
import { queryClient } from '../lib/query';
import { answer, newest, opened, renderRoutes } from '../lib/testing';
import { AiAnalysis } from './AiAnalysis';
import { keyOf } from './analysis';

const imageId = '9'.padStart(24, '0');
const image: Image = {
  id: imageId,
  caption: 'Hand',
  contentType: 'image/png',
  createAt: '2026-11-19T14:05:31.000Z',
  isVerified: true,
  isShared: false,
  image_url: 'data:image/webp;base64,AA',
  width: 40,
  height: 30,
  analysis: { status: 'none' },
};
const result: AnalysisAnswer = {
  status: 'completed',
  imageId,
  timestamp: '2026-11-19T14:06:00.000Z',
  review: { state: 'draft' },
  stale: false,
  description: '<img src=x onerror=alert(1)> All is well.',
  differentialDiagnosis: [{ condition: 'Bright', confidence: 0.8234567 }],
  treatment: [],
  followUp: [],
  warnings: [],
  measurements: ['40 × 30 pixels.'],
  confidence: 0.9,
  assessed: true,
  provider: 'onnx',
  model: 'm',
  heatMap: { label: 'Bright', width: 2, height: 2, values: btoa('\u0000\u0040\u0080\u00ff') },
};

const before = {
  imageId,
  at: '2026-10-19T14:06:00.000Z',
  caption: 'Hand',
  findings: { ...result, differentialDiagnosis: [{ condition: 'Bright', confidence: 0.57 }] },
};

function show(target: AnalysisTarget, of: Image = image) {
  const heard = answer({
    'GET /analyze': () => ({ body: { data: target } }),
    [`GET /upload/image/${imageId}`]: () => ({ body: { data: of } }),
    [`GET /analyze/${imageId}`]: () => ({ body: { data: result } }),
    [`GET /analyze/${imageId}/versions`]: () => ({ body: { data: [] } }),
    [`GET /analyze/${imageId}/previous`]: () => ({ body: { data: before } }),
  });
  renderRoutes([{ path: '/ai-analysis/:id', element: <AiAnalysis /> }], `/ai-analysis/${imageId}`);
  return heard;
}
const away: AnalysisTarget = { provider: 'openai', model: 'vision-1', sentTo: 'ai.example.org' };
const here: AnalysisTarget = { provider: 'onnx', model: null, sentTo: null };
const asked = `GET /analyze/${imageId}`;

beforeEach(() =>
  startSession(
    {
      id: '1'.padStart(24, '0'),
      email: 's@example.org',
      username: 'sana',
      firstname: 'Sana',
      lastname: 'Mirza',
      role: { name: 'healthProvider' },
    },
    'token',
  ),
);

it('Before an image goes to another server, the screen names the host and the model, and waits.', async () => {
  const heard = show(away);
  expect((await screen.findByText('ai.example.org')).closest('p, span, div')?.textContent).toContain('model vision-1');
  expect(newest(heard, asked)).toBeUndefined();
  await userEvent.click(screen.getByRole('button', { name: 'Send and analyze' }));
  await screen.findByText(/All is well/);
  expect(newest(heard, asked)).toBeDefined();
});

it('An analysis that exists, or stays on the clinic’s machines, opens at once.', async () => {
  show(away, { ...image, analysis: { status: 'completed' } });
  await screen.findByText(/All is well/);
  // The next run would go there too.
  expect(screen.getByText('ai.example.org')).toBeTruthy();
});

it('Probabilities are as given, in the list, in the comparison and as the confidence.', async () => {
  show(here);
  await screen.findByText('57%');
  expect(screen.getAllByText('82.34567%')).toHaveLength(2);
  expect(screen.getByText('90%')).toBeTruthy();
});

it('Markup of a model is text, measurements are folded, and a switch shows the heat map.', async () => {
  show(here);
  expect((await screen.findByText(/All is well/)).textContent).toContain('<img src=x');
  expect(screen.queryByText('ai.example.org')).toBeNull();
  const measurements = screen.getByText('40 × 30 pixels.').closest('details');
  expect(measurements?.open).toBe(false);
  expect(document.querySelector('[data-heat-map]')).toBeNull();
  await userEvent.click(screen.getByRole('checkbox', { name: /heat map of:\s*Bright/ }));
  expect(document.querySelector('[data-heat-map]')).not.toBeNull();
});

it('A dialog that signs keeps its draft and the typed text while another run replaces the text of the page.', async () => {
  const own = { ...image, owner: { id: '1'.padStart(24, '0'), firstname: 'Sana', lastname: 'Mirza' } };
  const heard = show(here, { ...own, analysis: { status: 'completed' } });
  const read = (next: AnalysisAnswer) => act(() => void queryClient.setQueryData(keyOf(imageId), next));
  await screen.findByText(/All is well/);
  read({ ...result, version: 1, description: 'No nodule.' });
  await userEvent.click(await screen.findByRole('button', { name: 'Review and sign' }));
  const dialog = within(await opened());
  await userEvent.type(dialog.getByRole('textbox', { name: /comment/i }), 'Seen.');
  read({ status: 'queued', progress: 0 });
  await waitFor(() => expect(document.querySelector('[data-review]')).toBeNull());
  read({ ...result, version: 2, description: 'A nodule of 9 mm.' });
  await screen.findByText('A nodule of 9 mm.');
  await userEvent.click(dialog.getByRole('button', { name: 'Sign' }));
  // The server refuses the older version with STALE.
  await waitFor(() =>
    expect(newest(heard, `POST /analyze/${imageId}/sign`)?.body).toEqual({ version: 1, comment: 'Seen.' }),
  );
});

it('An analysis that fails while the page is open, and one that is refused, is a toast with the reason.', async () => {
  const table = {
    'GET /analyze': () => ({ body: { data: here } }),
    [`GET /upload/image/${imageId}`]: () => ({ body: { data: image } }),
    [`GET /analyze/${imageId}/versions`]: () => ({ body: { data: [] } }),
  };
  const told = (text: string) => waitFor(() => expect(screen.queryByRole('alert')?.textContent).toContain(text));
  answer({ ...table, [asked]: () => ({ status: 202, body: { data: { status: 'queued', progress: 0 } } }) });
  renderRoutes([{ path: '/ai-analysis/:id', element: <AiAnalysis /> }], `/ai-analysis/${imageId}`);
  await screen.findByRole('heading', { name: 'Waiting in the queue' });
  act(() => void queryClient.setQueryData(keyOf(imageId), { status: 'failed', reason: 'The model is away.' }));
  await told('The model is away.');
  const refusal = { error: 'RESTING', message: 'The analysis is resting.' };
  answer({ ...table, [asked]: () => ({ status: 409, body: refusal }) });
  await act(() => queryClient.invalidateQueries({ queryKey: keyOf(imageId) }));
  await told('The analysis is resting.');
});
