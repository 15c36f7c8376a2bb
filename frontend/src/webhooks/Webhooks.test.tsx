import type { Webhook, WebhookDelivery } from '@lightbox/contract/webhooks/calls.js';
import { eventsOf } from '@lightbox/contract/webhooks/events.js';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { answer, newest, opened, renderScreen } from '../lib/testing';
import { Webhooks } from './Webhooks';

const at = '2026-11-21T02:00:00.000Z';
const id = '7'.repeat(24);
const url = 'https://ehr.example.org/events';
const made: Webhook = { id, url, events: eventsOf('share'), on: true, createAt: at };
const delivery = (digit: string, rest: Partial<WebhookDelivery>): WebhookDelivery => ({
  id: digit.repeat(24),
  eventId: digit.repeat(24),
  event: 'share.created',
  at,
  state: 'delivered',
  tries: 1,
  lastTryAt: at,
  status: 204,
  ...rest,
});

let webhooks: Webhook[];
let deliveries: WebhookDelivery[];
const server = (whole = false) =>
  answer({
    [whole ? 'GET /webhooks/installation' : 'GET /webhooks']: () => ({ body: { data: webhooks } }),
    [whole ? 'POST /webhooks/installation' : 'POST /webhooks']: ({ body }) => {
      const wish = body as Pick<Webhook, 'url' | 'events'>;
      if (wish.url.includes('inside')) {
        const errors = [{ field: 'url', message: 'Must be a public address that begins with https://.' }];
        return { status: 422, body: { error: 'VALIDATION_FAILED', message: 'No.', errors } };
      }
      webhooks = [{ ...made, ...wish }];
      return { status: 201, body: { data: { ...webhooks[0], secret: 'whsec_once' } } };
    },
    [`GET /webhooks/${id}/deliveries`]: () => ({ body: { data: deliveries, pagination: { hasNextPage: false } } }),
    [`POST /webhooks/deliveries/${'2'.repeat(24)}/replay`]: () => {
      deliveries = deliveries.map((one) => ({ ...one, state: 'waiting' }));
      return { body: { data: deliveries[0] } };
    },
    [`PUT /webhooks/${id}/state`]: ({ body }) => {
      webhooks = webhooks.map((one) => ({ ...one, ...(body as { on: boolean }) }));
      return { body: { data: webhooks[0] } };
    },
    [`POST /webhooks/${id}/secret`]: () => ({ body: { data: { ...made, secret: 'whsec_other' } } }),
    [`DELETE /webhooks/${id}`]: () => {
      webhooks = [];
      return { body: { data: null } };
    },
  });

beforeEach(() => {
  webhooks = [made];
  deliveries = [];
});

const press = async (name: string, inside: ReturnType<typeof within> | typeof screen = screen) =>
  userEvent.click(await inside.findByRole('button', { name }));

it('A webhook needs an address and events, shows its secret once, and a refusal is shown.', async () => {
  webhooks = [];
  const heard = server();
  renderScreen(<Webhooks />);
  await press('Add a webhook');
  const dialog = within(await opened());
  await press('Add the webhook', dialog);
  await dialog.findByText('Please enter an address that begins with https://.');
  await dialog.findByText('Please choose at least one.');
  const enter = async (text: string) => {
    const field = dialog.getByLabelText('Address');
    await userEvent.clear(field);
    await userEvent.click(field);
    await userEvent.paste(text);
  };
  await enter('https://inside');
  await userEvent.click(dialog.getByLabelText('Shares'));
  await userEvent.click(dialog.getByLabelText('Messages'));
  await press('Add the webhook', dialog);
  await dialog.findByText(/Must be a public address/);
  await enter(url);
  await press('Add the webhook', dialog);
  await dialog.findByText('whsec_once');
  expect(newest(heard, 'POST /webhooks')?.body).toEqual({ url, events: [...eventsOf('share'), 'message.new'] });
  await press('I have saved it', dialog);
  const list = await screen.findByRole('list', { name: 'Webhooks' });
  expect(list.textContent).toContain('Shares · Messages');
  expect(screen.queryByText('whsec_once')).toBeNull();
});

it('The deliveries say how they went, and one is sent again.', async () => {
  deliveries = [
    delivery('2', { state: 'failed', fault: 'answer', status: 500 }),
    delivery('3', { state: 'withheld', tries: 0 }),
    delivery('4', { state: 'delivered' }),
  ];
  const heard = server();
  renderScreen(<Webhooks />);
  await press(`Manage ${url}`);
  const dialog = within(await opened());
  const rows = within(await dialog.findByRole('list', { name: 'Deliveries' })).getAllByRole('listitem');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('The address answered 500.'),
    expect.stringContaining('You may no longer see what it was about.'),
    expect.stringContaining('Delivered'),
  ]);
  await userEvent.click(within(rows[0] as HTMLElement).getByRole('button'));
  await screen.findByText('The event is on its way again.');
  expect(newest(heard, `POST /webhooks/deliveries/${'2'.repeat(24)}/replay`)).toBeDefined();
});

it('A webhook is turned off, gets a new secret, and is deleted.', async () => {
  const heard = server();
  renderScreen(<Webhooks />);
  await press(`Manage ${url}`);
  const dialog = within(await opened());
  await dialog.findByText('No deliveries yet');
  await press('Turn off', dialog);
  await dialog.findByRole('button', { name: 'Turn on' });
  expect(dialog.getByRole('button', { name: 'Send a test' }).hasAttribute('disabled')).toBe(true);
  await press('New secret', dialog);
  await press('New secret', within(await opened('alertdialog')));
  await screen.findByText('whsec_other');
  await press('I have saved it');
  await press(`Manage ${url}`);
  await press('Delete', within(await opened('dialog', 'Webhook')));
  await press('Delete', within(await opened('alertdialog')));
  await waitFor(() => expect(screen.queryByText(url)).toBeNull());
  expect(newest(heard, `DELETE /webhooks/${id}`)).toBeDefined();
});

it('Those of the installation have their own list and call, and say when the product turned them off.', async () => {
  webhooks = [{ ...made, on: false, stoppedAt: at }];
  server(true);
  renderScreen(<Webhooks whole />);
  await screen.findByText('Turned off by us');
  await press(`Manage ${url}`);
  const dialog = within(await opened());
  await dialog.findByText(/We turned it off at/);
});
