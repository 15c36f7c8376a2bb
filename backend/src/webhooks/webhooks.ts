import type { BodyOf, DataOf } from '@lightbox/contract/call.js';
import { limits } from '@lightbox/contract/limits.js';
import { texts } from '@lightbox/contract/texts.js';
import type { Webhook, webhookCalls } from '@lightbox/contract/webhooks/calls.js';
import { mayManageWebhook } from '@lightbox/contract/webhooks/policy.js';
import { touch } from '@lightbox/core/access/hold.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError, fieldError } from '@lightbox/core/errors.js';
import type { WebhookDoc } from '@lightbox/core/models/webhook.js';
import { isEndpoint } from '@lightbox/core/net/endpoints.js';
import { HOUR_MS } from '@lightbox/core/times.js';
import { newSecret, openSecret, sealSecret, showSecret } from '@lightbox/core/webhooks/secrets.js';
import type { QueryFilter } from 'mongoose';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { presentWebhook } from './present.js';

type Calls = typeof webhookCalls;
type Owner = Pick<WebhookDoc, 'user' | 'whole'>;

const ofInstallation: Owner = { whole: true };

async function read(gateway: Gateway, owned: QueryFilter<WebhookDoc>): Promise<Webhook[]> {
  const webhooks = await gateway.models.Webhook.find(owned)
    .sort({ createAt: -1, _id: -1 })
    .limit(limits.webhooks)
    .lean<WebhookDoc[]>();
  return webhooks.map(presentWebhook);
}

/** Returns a person's own webhooks, the newest first. */
export const webhooksOf = (gateway: Gateway, { _id }: Viewer): Promise<Webhook[]> => read(gateway, { user: _id });

export const listWebhooks = async ({
  gateway,
  viewer,
}: Context<Calls['listWebhooks']>): Promise<Answer<Webhook[]>> => ({ data: await webhooksOf(gateway, viewer) });

export const listInstallationWebhooks = async ({
  gateway,
}: Context<Calls['listInstallationWebhooks']>): Promise<Answer<Webhook[]>> => ({
  data: await read(gateway, ofInstallation),
});

/** Returns the webhook; 404 for one of somebody else. */
export async function requireWebhook({ models }: Gateway, viewer: Viewer, id: string): Promise<WebhookDoc> {
  const found = await models.Webhook.findById(oid(id)).readConcern(NEWEST).lean<WebhookDoc>();
  if (!found || !mayManageWebhook(viewer, { ownerId: found.user ? String(found.user) : null })) {
    throw new AppError('NOT_FOUND');
  }
  return found;
}

/** Refuses an address to which the server does not connect, by the rule of push services. */
async function requireAddress({ config }: Gateway, url: string): Promise<void> {
  if (await isEndpoint(url, config.webhookOrigins)) return;
  throw fieldError('url', texts.webhookAddress);
}

type Create = Calls['createWebhook'];

async function create(
  { gateway, actor, viewer, body }: Pick<Context<Create>, 'gateway' | 'actor' | 'viewer' | 'body'>,
  owner: Owner,
): Promise<Answer<DataOf<Create>>> {
  await requireAddress(gateway, body.url);
  const _id = newId(gateway.clock.now());
  const secret = newSecret();
  const webhook: WebhookDoc = {
    _id,
    ...owner,
    by: viewer._id,
    ...body,
    on: true,
    createAt: gateway.clock.now(),
    secret: sealSecret(gateway.keys, _id, secret),
  };
  await gateway.events.change(actor, async (tx) => {
    const { User, Webhook } = gateway.models;
    const others = owner.user ? { user: owner.user } : ofInstallation;
    // Two devices of a person, or two administrators, that take the last place at once conflict here.
    await User.updateOne({ _id: viewer._id }, touch, { session: tx.session });
    if (!owner.user) await Webhook.updateMany(others, touch, { session: tx.session });
    const count = await Webhook.countDocuments(others).session(tx.session);
    if (count >= limits.webhooks) {
      throw new AppError('CONFLICT', { message: `There are at most ${limits.webhooks} webhooks.` });
    }
    await Webhook.create([webhook], { session: tx.session });
    tx.record({ type: 'webhook.created', record: _id });
    return _id;
  });
  return { data: { ...presentWebhook(webhook), secret: showSecret(secret) } };
}

export const createWebhook = (context: Context<Create>): Promise<Answer<DataOf<Create>>> =>
  create(context, { user: context.viewer._id, whole: false });

export const createInstallationWebhook = (
  context: Context<Calls['createInstallationWebhook']>,
): Promise<Answer<DataOf<Create>>> => create(context, ofInstallation);

type Change = 'webhook.changed' | 'webhook.rotated';

/** Writes the fields in a transaction with the event; 404 when the webhook is gone. */
async function write(
  { gateway, actor, viewer }: Pick<Context, 'gateway' | 'actor' | 'viewer'>,
  { _id }: WebhookDoc,
  type: Change,
  { $set, $unset }: { $set: Partial<WebhookDoc>; $unset?: Partial<Record<keyof WebhookDoc, 1>> },
): Promise<WebhookDoc> {
  let written = null as WebhookDoc | null;
  await gateway.events.change(actor, async (tx) => {
    const changed = { ...$set, changedBy: viewer._id, changedAt: gateway.clock.now() };
    written = await gateway.models.Webhook.findOneAndUpdate(
      { _id },
      { $set: changed, ...($unset ? { $unset } : {}) },
      { session: tx.session, returnDocument: 'after' },
    ).lean<WebhookDoc>();
    if (!written) throw new AppError('NOT_FOUND');
    tx.record({ type, record: _id });
    return _id;
  });
  return written as WebhookDoc;
}

export async function changeWebhook(context: Context<Calls['changeWebhook']>): Promise<Answer<Webhook>> {
  const { gateway, viewer, params, body } = context;
  const webhook = await requireWebhook(gateway, viewer, params.id);
  const { url, events }: BodyOf<Calls['changeWebhook']> = body;
  if (url !== webhook.url) await requireAddress(gateway, url);
  // The failures were those of the old address.
  const update = { $set: { url, events }, ...(url === webhook.url ? {} : { $unset: { failingSince: 1 as const } }) };
  return { data: presentWebhook(await write(context, webhook, 'webhook.changed', update)) };
}

export async function switchWebhook(context: Context<Calls['switchWebhook']>): Promise<Answer<Webhook>> {
  const { gateway, viewer, params } = context;
  const { on } = context.body;
  const webhook = await requireWebhook(gateway, viewer, params.id);
  const update = { $set: { on }, ...(on ? { $unset: { failingSince: 1 as const, stoppedAt: 1 as const } } : {}) };
  return { data: presentWebhook(await write(context, webhook, 'webhook.changed', update)) };
}

type Rotate = Calls['rotateWebhookSecret'];

export async function rotateWebhookSecret(context: Context<Rotate>): Promise<Answer<DataOf<Rotate>>> {
  const { gateway, viewer, params } = context;
  const webhook = await requireWebhook(gateway, viewer, params.id);
  const { keys, clock } = gateway;
  const secret = newSecret();
  const written = await write(context, webhook, 'webhook.rotated', {
    $set: {
      secret: sealSecret(keys, webhook._id, secret),
      previous: sealSecret(keys, webhook._id, openSecret(keys, webhook._id, webhook.secret)),
      previousUntil: new Date(clock.now().getTime() + limits.webhookOldSecretHours * HOUR_MS),
    },
  });
  return { data: { ...presentWebhook(written), secret: showSecret(secret) } };
}

/** Its deliveries are removed by maintenance: they may be more than one transaction can remove. Nobody finds them any more. */
export async function deleteWebhook({
  gateway,
  actor,
  viewer,
  params,
}: Context<Calls['deleteWebhook']>): Promise<Answer<unknown>> {
  const { _id } = await requireWebhook(gateway, viewer, params.id);
  await gateway.events.change(actor, async (tx) => {
    const gone = await gateway.models.Webhook.deleteOne({ _id }, { session: tx.session });
    if (gone.deletedCount === 0) throw new AppError('NOT_FOUND');
    tx.record({ type: 'webhook.removed', record: _id });
    return _id;
  });
  return { data: null };
}
