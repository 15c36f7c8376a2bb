import type { DicomNode } from '@lightbox/contract/receiver/calls.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { answer, newest, opened, renderScreen } from '../lib/testing';
import { DicomNodes } from './DicomNodes';

const id = '7'.repeat(24);
const user = { id: '8'.repeat(24), firstname: 'Hina', lastname: 'Raza' };
const made: DicomNode = {
  id,
  title: 'CT1',
  addresses: ['10.1.2.0/24'],
  user,
  accepted: true,
  createAt: '2026-11-21T02:00:00.000Z',
};
const press = async (name: string, inside: ReturnType<typeof within> | typeof screen = screen) =>
  userEvent.click(await inside.findByRole('button', { name }));

it('A device is added for a person, is changed, and is removed.', async () => {
  let nodes: DicomNode[] = [];
  const save = ({ body }: { body?: unknown }) => {
    nodes = [{ ...made, ...(body as Pick<DicomNode, 'title' | 'addresses'>) }];
    return { status: 201, body: { data: nodes[0] } };
  };
  const person = { ...user, username: 'hina', email: 'hina@example.org', role: 'healthProvider', active: true };
  const heard = answer({
    'GET /dicom-nodes': () => ({ body: { data: nodes } }),
    'POST /dicom-nodes': save,
    [`PUT /dicom-nodes/${id}`]: save,
    [`DELETE /dicom-nodes/${id}`]: () => {
      nodes = [];
      return { body: { data: null } };
    },
    'GET /users': () => ({ body: { data: [person], pagination: { hasNextPage: false } } }),
  });
  renderScreen(<DicomNodes />);
  await screen.findByText('No device may send images yet.');
  await press('Add a device');
  const dialog = within(await opened());
  await userEvent.type(dialog.getByLabelText('AE title'), 'CT1');
  await userEvent.type(dialog.getByLabelText(/^Addresses/), '10.1.2.0/24 10.1.3.4');
  await press('Add a device', dialog);
  await dialog.findByText('Please choose a person.');
  await userEvent.type(dialog.getByRole('combobox', { name: 'Owner of the images' }), 'hina');
  await userEvent.click(await screen.findByRole('option', { name: /Hina Raza/ }));
  await press('Add a device', dialog);
  const list = await screen.findByRole('list', { name: 'DICOM devices' });
  expect(newest(heard, 'POST /dicom-nodes')?.body).toEqual({
    title: 'CT1',
    addresses: ['10.1.2.0/24', '10.1.3.4'],
    userId: user.id,
  });
  expect(list.textContent).toContain('Hina Raza');
  await press('Change CT1');
  await press('Save', within(await opened('dialog', 'Change CT1')));
  await waitFor(() => expect(newest(heard, `PUT /dicom-nodes/${id}`)?.body).toMatchObject({ userId: user.id }));
  await press('Remove CT1');
  await press('Remove', within(await opened('alertdialog')));
  await screen.findByText('No device may send images yet.');
});
