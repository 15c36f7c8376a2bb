import { ChakraProvider } from '@chakra-ui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { publicSettings } from '../lib/publicSettings';
import { answer, opened, renderScreen } from '../lib/testing';
import { system } from '../theme/system';
import { faultOf } from './checkFile';
import type { LockedZip } from './readFiles';
import { TrayHost } from './TrayHost';
import { FakeXhr, sent, signIn } from './testing';
import { UnlockZip } from './UnlockZip';
import { Upload } from './Upload';

const png = (name = 'knee.png') => new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], name, { type: 'image/png' });
const hashOfPng = '0f4636c78f65d3639ece5a064b5ae753e3408614a14fb18ab4d7540d2c248543';
const textFile = new File(['These are notes.'], 'notes.txt', { type: 'text/plain' });
/** Chooses the file by pasting it into the page. */
const choose = (file: File) => fireEvent.paste(window, { clipboardData: { files: [file] } });
const submit = () => document.querySelector<HTMLButtonElement>('form button[type=submit]') as HTMLButtonElement;

function show(cache = new QueryClient()) {
  const router = createMemoryRouter(
    [
      { path: '/upload', element: <Upload /> },
      { path: '/view-images', element: <p>the gallery</p> },
    ],
    { initialEntries: ['/upload'] },
  );
  render(
    <QueryClientProvider client={cache}>
      <ChakraProvider value={system}>
        <RouterProvider router={router} />
      </ChakraProvider>
    </QueryClientProvider>,
  );
  return userEvent.setup();
}

/** The screen beside the tray, which asks about files that name another patient. */
function showWithTray() {
  signIn();
  renderScreen(
    <>
      <Upload />
      <TrayHost hidden={false} />
    </>,
  );
  return userEvent.setup();
}
/** The answer with Hina and Sara Farooq, whose ids are zeros and ones. */
const twoPatients = () => ({
  body: {
    data: ['Hina', 'Sara'].map((firstname, at) => ({
      ...{ id: `${at}`.repeat(24), firstname, lastname: 'Farooq', username: firstname, email: `${at}@example.org` },
      role: { name: 'patient' },
    })),
    meta: { page: 1, limit: 8, total: 2, pages: 1 },
  },
});
/** The answer to a file that names another patient. */
const mismatch = {
  message: 'No.',
  error: 'PATIENT_MISMATCH',
  errors: [{ field: 'patientName', message: 'The name in the file is different.' }],
  requestId: 'r',
};

beforeEach(() => {
  sent.length = 0;
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response(JSON.stringify({ data: [] }), { status: 200 })),
  );
});
afterEach(() => vi.unstubAllGlobals());

describe('Upload Medical Image', () => {
  it('Without file and caption, the form asks for both in the specification’s words and sends nothing.', async () => {
    const user = show();
    await user.click(submit());
    expect(await screen.findByText('Please select a file to upload.')).toBeTruthy();
    expect(screen.getByText('Please provide a caption.')).toBeTruthy();
    choose(new File(['x'], 'notes.txt', { type: 'text/plain' }));
    expect(await screen.findByText('Invalid file type. Allowed: .jpg, .png, .pdf, .dicom')).toBeTruthy();
    expect(sent).toHaveLength(0);
  });

  it('After a lost answer, the form keeps the caption and the idempotency key, and a stored image opens the gallery.', async () => {
    const user = show();
    choose(png());
    await screen.findByText('knee.png');
    await user.type(screen.getByLabelText('Caption'), 'Knee');
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.progress(0.64);
    expect(await screen.findByText('64%')).toBeTruthy();
    sent[0]?.answer(500, {});
    expect(await screen.findByText('Something went wrong while uploading.')).toBeTruthy();
    expect(screen.getByLabelText('Caption')).toHaveProperty('value', 'Knee');

    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.key).toBe(sent[0]?.key);
    // The text of the screen is for an answer without one.
    sent[1]?.answer(500, { message: 'Maintenance until noon.' });
    expect(await screen.findByText('Maintenance until noon.')).toBeTruthy();
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(3));
    sent[2]?.answer(201, { data: {} });
    expect(await screen.findByText('the gallery')).toBeTruthy();
  });

  it('A refusal or another caption leads to a new idempotency key.', async () => {
    const user = show();
    choose(png());
    await screen.findByText('knee.png');
    await user.type(screen.getByLabelText('Caption'), 'Knee');
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.answer(422, {
      message: 'No.',
      error: 'VALIDATION_FAILED',
      errors: [{ field: 'caption', message: 'Contains characters that cannot be stored.' }],
      requestId: 'r',
    });
    expect(await screen.findByText('Contains characters that cannot be stored.')).toBeTruthy();
    await user.type(screen.getByLabelText('Caption'), ' 2');
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
    expect(sent[1]?.body.get('caption')).toBe('Knee 2');
  });

  it('An upload can be cancelled.', async () => {
    const user = show();
    choose(png());
    await screen.findByText('knee.png');
    await user.type(screen.getByLabelText('Caption'), 'Knee');
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(1));
    await user.click(await screen.findByRole('button', { name: 'Cancel upload' }));
    expect(sent[0]?.aborted).toBe(true);
    expect(await screen.findByText('Upload canceled. Your caption is still here.')).toBeTruthy();
  });
});

describe('the form and the queue', () => {
  it('A file that is stored already is told before anything is sent, and can be uploaded again.', async () => {
    const heard = answer({ 'GET /upload/known': () => ({ body: { data: { imageId: 'a'.repeat(24) } } }) });
    const user = show();
    choose(png());
    await screen.findByText('knee.png');
    await user.type(screen.getByLabelText('Caption'), 'Knee');
    await user.click(submit());
    expect(await screen.findByText('You have this file already')).toBeTruthy();
    const asked = heard.find(({ path }) => path.startsWith('/upload/known'));
    // The SHA-256 of the four bytes of `png()`.
    expect(asked?.path).toBe(`/upload/known?sha256=${hashOfPng}`);
    expect(screen.getByRole('link', { name: 'Open it' })).toHaveProperty(
      'href',
      expect.stringContaining(`/view-images?image=${'a'.repeat(24)}`),
    );
    expect(sent).toHaveLength(0);
    await user.click(screen.getByRole('button', { name: 'Upload it again' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.answer(201, { data: {} });
    expect(await screen.findByText('the gallery')).toBeTruthy();
  });

  it('Uploading a known file again sends what the form shows by then, and the note is about the shown file only.', async () => {
    answer({
      'GET /upload/known': () => ({ body: { data: { imageId: 'a'.repeat(24) } } }),
      'GET /users': twoPatients,
    });
    const user = show();
    const patient = async (name: RegExp) => {
      await user.click(screen.getByRole('combobox', { name: /^Patient/ }));
      await user.click(await screen.findByRole('option', { name }));
    };
    choose(png());
    await screen.findByText('knee.png');
    await user.type(screen.getByLabelText('Caption'), 'Knee');
    await patient(/Hina/);
    await user.click(submit());
    await screen.findByText('You have this file already');
    choose(png('hand.png'));
    await waitFor(() => expect(screen.queryByText('You have this file already')).toBeNull());
    await user.click(submit());
    await screen.findByText('You have this file already');
    await user.clear(screen.getByRole('combobox', { name: /^Patient/ }));
    await patient(/Sara/);
    await user.type(screen.getByLabelText('Caption'), ' 2');
    await user.click(screen.getByRole('button', { name: 'Upload it again' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    const { body } = sent[0] as (typeof sent)[0];
    expect((body.get('file') as File).name).toBe('hand.png');
    expect([body.get('patientId'), body.get('caption')]).toEqual(['1'.repeat(24), 'Knee 2']);
  });

  it('A typed patient who was not chosen is asked about: the text stays, and nothing is sent until it is empty or chosen.', async () => {
    answer({ 'GET /users': twoPatients });
    const user = show();
    const patient = () => screen.getByRole<HTMLInputElement>('combobox', { name: /^Patient/ });
    choose(png());
    await screen.findByText('knee.png');
    await user.type(screen.getByLabelText('Caption'), 'Knee');
    await user.type(patient(), 'hina');
    await screen.findByRole('option', { name: /Hina/ });
    await user.click(submit());
    const fault = 'Choose the patient from the list, or empty this field.';
    await screen.findByText(fault);
    expect([patient().value, document.activeElement, sent.length]).toEqual(['hina', patient(), 0]);
    await user.keyboard('{ArrowDown}');
    await screen.findByRole('option', { name: /Hina/ });
    await user.keyboard('{Enter}');
    await waitFor(() => expect(screen.queryByText(fault)).toBeNull());
    expect(patient().value).toBe('Hina Farooq');
    // Another text behind the choice is asked about as well.
    await user.type(patient(), ' and Sara');
    await user.click(submit());
    await screen.findByText(fault);
    await user.clear(patient());
    await waitFor(() => expect(screen.queryByText(fault)).toBeNull());
    expect(sent).toHaveLength(0);
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]?.body.get('patientId')).toBe(null);
  });

  it('While a patient is searched for, the list has none of those before who do not match, so that no row moves away.', async () => {
    answer({ 'GET /users': twoPatients });
    const user = show();
    const patient = screen.getByRole<HTMLInputElement>('combobox', { name: /^Patient/ });
    await user.click(patient);
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(2));
    globalThis.fetch = () => new Promise(() => {});
    await user.type(patient, 'sár');
    expect(patient.value).toBe('sár');
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(1));
    expect(screen.getByRole('option', { name: /Sara/ })).toBeTruthy();
  });

  it('The form asks again about another patient when the question was closed without an answer.', async () => {
    const user = showWithTray();
    choose(png());
    await screen.findByText('knee.png');
    await user.type(screen.getByLabelText('Caption'), 'Knee');
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.answer(409, mismatch);
    await opened('alertdialog');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    // Nothing is on its way or looked at meanwhile.
    for (const text of ['Uploading', 'Checking the file']) expect(screen.queryByText(text), text).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Decide' }));
    await user.click(within(await opened('alertdialog')).getByRole('button', { name: 'Upload without a patient' }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(screen.queryByRole('button', { name: 'Decide' })).toBeNull();
    sent[1]?.answer(201, { data: {} });
    expect(await screen.findByText('elsewhere')).toBeTruthy();
  });

  it('After a decision about another patient and a failure, the form shows the decided patient and sends the same upload.', async () => {
    const hina = {
      id: '1'.repeat(24),
      firstname: 'Hina',
      lastname: 'Farooq',
      username: 'hina',
      role: { name: 'patient' },
    };
    answer({ 'GET /users': () => ({ body: { data: [hina], meta: { page: 1, limit: 8, total: 1, pages: 1 } } }) });
    const user = showWithTray();
    const patient = () => screen.getByRole<HTMLInputElement>('combobox', { name: /^Patient/ });
    choose(png());
    await screen.findByText('knee.png');
    await user.type(screen.getByLabelText('Caption'), 'Knee');
    await user.click(patient());
    await user.click(await screen.findByRole('option', { name: /Hina/ }));
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.answer(409, mismatch);
    await user.click(within(await opened('alertdialog')).getByRole('button', { name: 'Upload without a patient' }));
    await waitFor(() => expect(sent).toHaveLength(2));
    sent[1]?.answer(500, { message: 'Maintenance until noon.' });
    await screen.findByText('Maintenance until noon.');
    expect(patient().value).toBe('');
    await user.click(submit());
    await waitFor(() => expect(sent).toHaveLength(3));
    expect([sent[2]?.key, sent[2]?.body.get('patientId')]).toEqual([sent[1]?.key, null]);
    sent[2]?.answer(201, { data: {} });
    expect(await screen.findByText('elsewhere')).toBeTruthy();
  });

  it('Several pasted files open the plan, with a caption for each and what is left out.', async () => {
    const user = show();
    fireEvent.paste(window, { clipboardData: { files: [png('left_hand.png'), png('right.png'), textFile] } });
    expect(await screen.findByDisplayValue('left hand')).toBeTruthy();
    expect(await screen.findByText('1 file left out')).toBeTruthy();
    expect(screen.getByText('Not a medical image: left out')).toBeTruthy();
    await user.clear(screen.getByLabelText('Caption of right.png'));
    await user.click(screen.getByRole('button', { name: 'Upload 2 files' }));
    expect(await screen.findByText('Please provide a caption.')).toBeTruthy();
    expect(sent).toHaveLength(0);
    await user.type(screen.getByLabelText('Caption of right.png'), 'Right');
    await user.click(screen.getByRole('button', { name: 'Upload 2 files' }));
    await waitFor(() => expect(sent).toHaveLength(2));
    // Two files go up at once, in either order.
    expect(sent.map(({ body }) => body.get('caption')).sort()).toEqual(['Right', 'left hand']);
    // The form is ready for the next file, while the tray goes on.
    expect(await screen.findByLabelText('Caption')).toBeTruthy();
  });
});

/** A DICOM file whose header names no study. */
function dicom(name: string) {
  const bytes = new Uint8Array(140);
  bytes.set([0x44, 0x49, 0x43, 0x4d], 128);
  return new File([bytes], name);
}

it('Only pictures and documents can become one study, because a DICOM file has its own.', async () => {
  answer({
    'GET /upload/known': () => ({ body: { data: { imageId: null } } }),
    'POST /studies': () => ({ status: 201, body: { data: { id: '5'.repeat(24) } } }),
  });
  const user = show();
  fireEvent.paste(window, { clipboardData: { files: [dicom('IM1'), dicom('IM2'), png('left.png')] } });
  expect(await screen.findByText('3 separate images')).toBeTruthy();
  expect(screen.queryByRole('radiogroup', { name: 'How to store them' })).toBeNull();
  fireEvent.paste(window, { clipboardData: { files: [png('right.png')] } });
  await user.click(await screen.findByRole('radio', { name: 'Together, as one study' }));
  expect(screen.getByText('1 study of 2 images')).toBeTruthy();
  expect(screen.getByText('2 separate images')).toBeTruthy();
  await user.type(screen.getByLabelText('Title of the study'), 'Hands');
  await user.click(screen.getByRole('button', { name: 'Upload 4 files' }));
  await waitFor(() => expect(sent).toHaveLength(4));
  const studies = Object.fromEntries(sent.map(({ body }) => [(body.get('file') as File).name, body.get('studyId')]));
  const study = '5'.repeat(24);
  expect(studies).toEqual({ IM1: null, IM2: null, 'left.png': study, 'right.png': study });
});

it('The form applies the size limit of the administrator, also when it changes after the choice of a file.', async () => {
  answer({
    'GET /settings/public': () => ({
      body: { data: { 'upload.maxBytes': 2 * 1024 ** 2, 'sharing.expiryHours': 24, 'session.idleMinutes': 30 } },
    }),
  });
  const big = new File([png(), new Uint8Array(1.5 * 1024 ** 2)], 'knee.png', { type: 'image/png' });
  const cache = new QueryClient();
  show(cache);
  await screen.findByText(/2 MB/);
  choose(big);
  await screen.findByText('knee.png');
  act(() => {
    cache.setQueryData(publicSettings.queryKey, (now) => now && { ...now, 'upload.maxBytes': 1024 ** 2 });
  });
  expect(await screen.findByText('File size exceeds 1MB limit.')).toBeTruthy();
  fireEvent.click(submit());
  expect(sent).toHaveLength(0);
});

it('The Enter key opens an encrypted zip only with a password, and once.', async () => {
  const tried: string[] = [];
  const onUnlock = (password: string) => {
    tried.push(password);
    return new Promise<boolean>(() => undefined);
  };
  renderScreen(<UnlockZip locked={{ name: 'disc.zip' } as LockedZip} onUnlock={onUnlock} onSkip={() => undefined} />);
  const field = screen.getByLabelText('Password of the zip');
  await userEvent.type(field, '{Enter}');
  expect(tried).toEqual([]);
  await userEvent.type(field, 'right{Enter}{Enter}');
  expect(tried).toEqual(['right']);
});

describe('the check before sending', () => {
  const dicom = new Uint8Array(140);
  dicom.set([0x44, 0x49, 0x43, 0x4d], 128);
  it.each([
    ['a picture', png(), undefined],
    ['DICOM without an ending', new File([dicom], 'IM000001'), undefined],
    ['bytes of no known kind', new File([new Uint8Array(140)], 'IM000001'), 'type'],
    ['a text', new File(['x'], 'notes.txt', { type: 'text/plain' }), 'type'],
    ['a PDF with another content', new File(['x'], 'Letter.PDF', { type: 'application/pdf' }), 'type'],
    ['a text that is named as a picture', new File(['text'], 'fake.jpg', { type: 'image/jpeg' }), 'type'],
    ['an empty picture', new File([], 'empty.png', { type: 'image/png' }), 'empty'],
    ['DICOM without its preamble', new File([new Uint8Array(140)], 'IM1.dcm'), undefined],
  ])('The check before the upload judges %s.', async (_, file, fault) => {
    expect(await faultOf(file, 10 * 1024 ** 2)).toBe(fault);
  });
  it('A file may have exactly as many bytes as the limit.', async () => {
    expect(await faultOf(png(), 4)).toBeUndefined();
    expect(await faultOf(png(), 3)).toBe('size');
  });
});
