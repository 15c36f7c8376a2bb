import type { Image } from '@lightbox/contract/images/schemas.js';
import type { Study } from '@lightbox/contract/studies/schemas.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ImagesScreen } from '../app/ImagesScreen';
import { socketEvents } from '../app/socketEvents';
import { startSession } from '../auth/session';
import { queryClient } from '../lib/query';
import { answer, newest, opened, renderScreen } from '../lib/testing';

const id = (n: number) => String(n).padStart(24, '0');
const [me, studyId, lead, second, shareId] = [id(1), id(50), id(9), id(10), id(7)] as const;
const person = (role: 'patient' | 'healthProvider', of = me) => ({
  id: of,
  email: 's@example.org',
  username: 'sana',
  firstname: 'Sana',
  lastname: 'Mirza',
  active: true,
  role: { name: role },
});
const giver = { id: id(2), firstname: 'Bilal', lastname: 'Siddiqui' };
const createAt = '2026-11-19T14:05:31.000Z';
const picture = 'data:image/webp;base64,AA';
const summary = {
  id: studyId,
  title: 'CT chest',
  kind: 'dicom' as const,
  imageCount: 2,
  modalities: ['CT'],
  size: 2_097_152,
};
const outline: Image = {
  id: lead,
  caption: 'slice-1',
  contentType: 'application/dicom',
  createAt,
  sharedBy: giver,
  shareId,
  isVerified: false,
  isShared: true,
  image_url: null,
  study: { ...summary, modalities: [], size: 0 },
};
const own: Image = {
  id: lead,
  caption: 'slice-1',
  contentType: 'application/dicom',
  createAt,
  owner: { ...giver, id: me },
  patient: { id: id(3), firstname: 'Hina', lastname: 'Farooq' },
  isVerified: true,
  isShared: false,
  image_url: picture,
  study: summary,
};
const study: Study = {
  ...summary,
  createAt,
  isVerified: true,
  isShared: false,
  image_url: picture,
  owner: { ...giver, id: me },
  patient: { id: id(3), firstname: 'Hina', lastname: 'Farooq' },
  leadId: lead,
  studyDate: '2026-11-01',
  series: [
    { id: id(60), number: 1, description: 'Axial', modality: 'CT', images: [lead] },
    { id: id(61), number: 2, modality: 'CT', images: [second] },
  ],
};
const list = (images: Image[]) => () => ({ body: { data: images, pagination: { totalItems: images.length } } });

/** The screen of the owner. `change` answers further calls. */
function showOwn(change: Parameters<typeof answer>[0] = {}) {
  startSession(person('healthProvider'), 'token');
  const heard = answer({
    'GET /upload/my-images': list([own]),
    'GET /upload/shared-images': list([]),
    [`GET /studies/${studyId}`]: () => ({ body: { data: study } }),
    'GET /sharing': () => ({ body: { data: [] } }),
    ...change,
  });
  return { heard, router: renderScreen(<ImagesScreen />, '/view-images') };
}
const openStudy = async () => {
  await userEvent.click(await screen.findByLabelText('Open CT chest'));
  const dialog = within(await opened('dialog', 'CT chest'));
  await dialog.findByText('Image 1 of 2');
  return dialog;
};

beforeEach(() => startSession(person('patient'), 'token'));

it('A card stands for a study: its title, kind, number of images, modalities and size, and a link to the viewer.', async () => {
  const { heard } = showOwn();
  const card = (await screen.findByText('CT chest')).closest('article') as HTMLElement;
  expect(card.textContent).toContain('Study · 2 images · CT · 2 MB');
  expect(card.textContent).toContain('× 2');
  const viewer = within(card).getByRole('link', { name: 'Open CT chest in the viewer' });
  expect(viewer.getAttribute('href')).toBe(`/viewer/study/${studyId}`);
  expect(newest(heard, 'GET /upload/my-images')?.path).toContain('grouped=true');
});

it('A study of one DICOM file is shown as that image, but shared as a study.', async () => {
  const one = { ...own, study: { ...summary, imageCount: 1 } };
  const { heard } = showOwn({ 'GET /upload/my-images': list([one]) });
  const card = (await screen.findByText('slice-1')).closest('article') as HTMLElement;
  expect(card.textContent).not.toContain('Study');
  expect(within(card).getByRole('link', { name: 'Open slice-1 in the viewer' }).getAttribute('href')).toBe(
    `/viewer/${lead}`,
  );
  await userEvent.click(within(card).getByRole('button', { name: 'Share slice-1' }));
  await waitFor(() => expect(newest(heard, 'GET /sharing')?.path).toBe(`/sharing?studyId=${studyId}`));
});

it('The dialog shows the images one by one, and each series as a link to the viewer. The address names the study.', async () => {
  const { heard, router } = showOwn({
    [`GET /upload/image/${second}`]: () => ({ body: { data: { ...own, id: second, study: undefined } } }),
  });
  const dialog = await openStudy();
  expect(router.state.location.search).toBe(`?study=${studyId}`);
  expect(dialog.getByRole('link', { name: 'Open in viewer' }).getAttribute('href')).toBe(`/viewer/study/${studyId}`);
  const series = dialog.getAllByRole('listitem').map((item) => item.textContent);
  const opensAt = dialog.getByRole('link', { name: /^Series 2/ }).getAttribute('href');
  expect(opensAt).toBe(`/viewer/study/${studyId}?image=${second}`);
  expect(series).toEqual(['1 · AxialCT1 image', 'Series 2CT1 image']);
  await userEvent.click(dialog.getByRole('button', { name: 'Next image' }));
  await dialog.findByText('Image 2 of 2');
  expect(newest(heard, `GET /upload/image/${second}`)).toBeTruthy();
  expect(heard.filter(({ path }) => path === `/upload/image/${lead}`)).toEqual([]);
  expect(dialog.getByRole('link', { name: 'Ai for this image' }).getAttribute('href')).toBe(`/ai-analysis/${second}`);
  await router.navigate(-1);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('A study gets a new title, which its card shows at once.', async () => {
  const { heard } = showOwn({
    [`PUT /studies/${studyId}`]: ({ body }) => ({ body: { data: { ...study, ...(body as object) } } }),
  });
  const dialog = await openStudy();
  await userEvent.click(dialog.getByRole('button', { name: 'Rename' }));
  const rename = within(await opened('dialog', 'Rename study'));
  const title = rename.getByLabelText('Title');
  await userEvent.clear(title);
  await userEvent.click(rename.getByRole('button', { name: 'Save title' }));
  await rename.findByText('Please provide a title.');
  await userEvent.type(title, 'CT chest, follow-up{Enter}');
  await screen.findByText('The study has its new title.');
  await screen.findByLabelText('Open CT chest, follow-up');
  expect(heard.find(({ method }) => method === 'PUT')?.body).toEqual({ title: 'CT chest, follow-up' });
});

it('A study of a patient is deleted as a whole, with a reason.', async () => {
  let left = [own];
  const { heard } = showOwn({
    'GET /upload/my-images': () => list(left)(),
    [`DELETE /studies/${studyId}`]: () => {
      left = [];
      return { body: { data: null } };
    },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Delete CT chest' }));
  const dialog = within(await opened('alertdialog'));
  expect(dialog.getByText(/permanently deletes the study with all 2 images/)).toBeTruthy();
  await userEvent.type(dialog.getByLabelText('Reason'), 'Wrong patient');
  await userEvent.click(dialog.getByRole('button', { name: 'Delete study' }));
  await screen.findByText('Study deleted.');
  await waitFor(() => expect(screen.queryByText('CT chest', { selector: 'h3' })).toBeNull());
  expect(heard.find(({ method }) => method === 'DELETE')).toMatchObject({
    path: `/studies/${studyId}`,
    body: { reason: 'Wrong patient' },
  });
});

it('The files of a study are saved as one zip with its title.', async () => {
  const { heard } = showOwn({ [`GET /studies/${studyId}/content`]: () => ({ body: 'zip' }) });
  const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
  URL.createObjectURL = () => 'blob:x';
  const dialog = await openStudy();
  await userEvent.click(dialog.getByRole('button', { name: 'Download all (zip)' }));
  await waitFor(() => expect(saved.mock.contexts[0]).toMatchObject({ download: 'CT chest.zip' }));
  expect(newest(heard, `GET /studies/${studyId}/content`)).toBeTruthy();
});

it('The recipient of a study sees its outline, opens it with one code, and loses all of it when it is revoked.', async () => {
  let verified = false;
  const given = { ...study, isShared: true, sharedBy: giver, shareId, owner: giver };
  answer({
    'GET /upload/shared-images': () => list([verified ? { ...own, ...outline, ...lit } : outline])(),
    'POST /sharing/verify': () => {
      verified = true;
      return { body: { data: { imagemetadataId: lead, studyId, isVerified: true } } };
    },
    [`GET /studies/${studyId}`]: () => (verified ? { body: { data: given } } : { status: 404, body: {} }),
  });
  const lit = { isVerified: true, image_url: picture, owner: giver, study: summary };
  renderScreen(<ImagesScreen />, '/view-images');
  const card = (await screen.findByText('CT chest')).closest('article') as HTMLElement;
  expect(card.textContent).toContain('Study · 2 images');
  expect(card.textContent).not.toContain('2 MB');
  expect(within(card).queryByRole('link')).toBeNull();
  await userEvent.click(within(card).getByRole('button', { name: 'Verify CT chest' }));
  const ask = within(await opened());
  await userEvent.click((await ask.findAllByLabelText(/Digit \d of 6/))[0] as HTMLElement);
  await userEvent.paste('123456');
  await userEvent.click(ask.getByRole('button', { name: 'Verify' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Open study' }));
  const dialog = await opened('dialog', 'CT chest');
  await within(dialog).findByText('Image 1 of 2');

  verified = false;
  const revoked = { sharingRequestId: shareId, imagemetadataId: lead, studyId, createdfor: me, expiresAt: null };
  for (const rows of socketEvents) rows['share:revoked']?.(revoked, queryClient);
  await within(dialog).findByText('Access has ended');
  expect(document.querySelector('img')).toBeNull();
  expect(within(dialog).queryByRole('link', { name: 'Open in viewer' })).toBeNull();
  expect(dialog.textContent).not.toContain('Axial');
});

it('A link to a study opens its dialog, or says that it is gone.', async () => {
  answer({
    'GET /upload/shared-images': list([]),
    [`GET /studies/${studyId}`]: () => ({ body: { data: { ...study, shareId, owner: giver } } }),
  });
  renderScreen(<ImagesScreen />, `/view-images?study=${studyId}`);
  await opened('dialog', 'CT chest');
});
