import type { Connection, Model } from 'mongoose';
import { analysis } from './analysis.js';
import { analysisVersion } from './analysisVersion.js';
import { annotation } from './annotation.js';
import { auditEntry } from './auditEntry.js';
import { auditHead } from './auditHead.js';
import { auditReceipt } from './auditReceipt.js';
import { auditRun } from './auditRun.js';
import { blackOut } from './blackOut.js';
import { card } from './card.js';
import { carer } from './carer.js';
import { ceremony } from './ceremony.js';
import { code } from './code.js';
import { consent } from './consent.js';
import { conversation } from './conversation.js';
import { counter } from './counter.js';
import { decoy } from './decoy.js';
import { dicomNode } from './dicomNode.js';
import { drawing } from './drawing.js';
import { emergency } from './emergency.js';
import { event } from './event.js';
import type { DocOf } from './fields.js';
import { guestLink } from './guestLink.js';
import { idempotency } from './idempotency.js';
import { identity } from './identity.js';
import { image } from './image.js';
import { imageRequest } from './imageRequest.js';
import { invite } from './invite.js';
import { legalHold } from './legalHold.js';
import { look } from './look.js';
import { message } from './message.js';
import { notification } from './notification.js';
import { operation } from './operation.js';
import { passkey } from './passkey.js';
import { photo } from './photo.js';
import { position } from './position.js';
import { preview } from './preview.js';
import { pushSubscription } from './pushSubscription.js';
import { reminder } from './reminder.js';
import { rendering } from './rendering.js';
import { report } from './report.js';
import { scimAccount } from './scimAccount.js';
import { scimToken } from './scimToken.js';
import { secret } from './secret.js';
import { sentMail } from './sentMail.js';
import { session } from './session.js';
import { setting } from './setting.js';
import { settingChange } from './settingChange.js';
import { share } from './share.js';
import { study } from './study.js';
import { task } from './task.js';
import { tombstone } from './tombstone.js';
import { totp } from './totp.js';
import { upload } from './upload.js';
import { usage } from './usage.js';
import { user } from './user.js';
import { usernameHold } from './usernameHold.js';
import { voice } from './voice.js';
import { webhook } from './webhook.js';
import { webhookDelivery } from './webhookDelivery.js';

/** Every model by its name. A new model is a file in this folder and a row here. */
const schemas = {
  User: user,
  Session: session,
  Code: code,
  Image: image,
  Card: card,
  Preview: preview,
  Drawing: drawing,
  Rendering: rendering,
  BlackOut: blackOut,
  Look: look,
  Tombstone: tombstone,
  Position: position,
  Share: share,
  Invite: invite,
  GuestLink: guestLink,
  ImageRequest: imageRequest,
  Emergency: emergency,
  LegalHold: legalHold,
  Carer: carer,
  Photo: photo,
  Study: study,
  Analysis: analysis,
  AnalysisVersion: analysisVersion,
  Report: report,
  Annotation: annotation,
  Consent: consent,
  Conversation: conversation,
  Message: message,
  Voice: voice,
  Notification: notification,
  PushSubscription: pushSubscription,
  DicomNode: dicomNode,
  Webhook: webhook,
  WebhookDelivery: webhookDelivery,
  Reminder: reminder,
  Event: event,
  AuditEntry: auditEntry,
  AuditHead: auditHead,
  AuditReceipt: auditReceipt,
  AuditRun: auditRun,
  Setting: setting,
  SettingChange: settingChange,
  Idempotency: idempotency,
  Counter: counter,
  Upload: upload,
  Usage: usage,
  SentMail: sentMail,
  Task: task,
  Operation: operation,
  Secret: secret,
  Totp: totp,
  Passkey: passkey,
  Ceremony: ceremony,
  Identity: identity,
  ScimToken: scimToken,
  ScimAccount: scimAccount,
  UsernameHold: usernameHold,
  Decoy: decoy,
};

export type Models = { [Name in keyof typeof schemas]: Model<DocOf<(typeof schemas)[Name]>> };

/**
 * Returns the models of one connection. Nothing is registered on mongoose itself, so that tests can run side by side.
 */
export function createModels(db: Connection): Models {
  const models = Object.entries(schemas).map(([name, schema]) => [name, db.model(name, schema)]);
  return Object.fromEntries(models) as Models;
}
