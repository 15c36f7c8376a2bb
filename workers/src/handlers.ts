import { appendAndTell } from '@lightbox/core/audit/append.js';
import type { Core } from '@lightbox/core/core.js';
import { oid } from '@lightbox/core/db/ids.js';
import { removeBytes } from '@lightbox/core/images/removeImage.js';
import type { JobData, JobName } from '@lightbox/core/queues/jobs.js';
import type { Transporter } from 'nodemailer';
import { analyseImage, giveUpAnalysis } from './analysis/analyseImage.js';
import type { AnalysisProvider } from './analysis/providers/provider.js';
import type { JobContext } from './jobContext.js';
import { sendMail } from './mail/sendMail.js';
import { removeAllListed } from './maintenance/orphans.js';
import type { Poster } from './net/poster.js';
import { sendDigest } from './notifications/digest.js';
import { notify } from './notifications/notify.js';
import { giveUpReminders, sendReminder } from './notifications/reminders.js';
import { giveUpBlackOut, makeBlackOut } from './previews/makeBlackOut.js';
import { giveUpPreview, makePreview } from './previews/makePreview.js';
import type { Pictures } from './previews/preview.js';
import { giveUpFrame, renderFrame } from './previews/renderFrame.js';
import { giveUpPhoto, renderPhoto } from './previews/renderPhoto.js';
import { takePlaceForAnalysis, takePlaceForPreview } from './previews/turns.js';
import { deliverPush } from './push/deliverPush.js';
import { pushMessage } from './push/pushMessage.js';
import type { PushSender } from './push/sender.js';
import { makeReport } from './reports/makeReport.js';
import { deliverWebhook, giveUpDelivery } from './webhooks/deliverWebhook.js';

export interface Tools {
  core: Core;
  mailer: Transporter;
  provider: AnalysisProvider;
  pictures: Pictures;
  /** Null when no key for web push is configured. */
  pushSender: PushSender | null;
  /** Posts to the addresses of webhooks. */
  webhookPoster: Poster;
}

type Handlers = { [N in JobName]: (tools: Tools, data: JobData<N>, context: JobContext) => Promise<unknown> };

/** One row for each job: a missing row does not compile. */
export const handlers: Handlers = {
  renderPreview: async ({ core, pictures }, { imageId }, context) => {
    await takePlaceForPreview(core, imageId, context);
    await makePreview(core, pictures, imageId, context);
  },
  renderFrame: ({ core, pictures }, { renderingId }, context) => renderFrame(core, pictures, renderingId, context),
  blackOut: ({ core, pictures }, { blackOutId }, context) => makeBlackOut(core, pictures, blackOutId, context),
  makeReport: ({ core, pictures }, { reportId }, context) => makeReport(core, pictures, reportId, context),
  analyseImage: async ({ core, ...tools }, { imageId }, context) => {
    await takePlaceForAnalysis(core, imageId, context);
    await analyseImage(core, tools, imageId, context);
  },
  renderPhoto: ({ core, pictures }, { photoId }, context) => renderPhoto(core, pictures, photoId, context),
  sendMail: ({ core, mailer }, { eventId, template }) => sendMail(core, mailer, eventId, template),
  notify: ({ core }, { eventId }) => notify(core, eventId),
  sendReminder: ({ core, mailer }, data, context) => sendReminder(core, mailer, data, context),
  sendDigest: ({ core, mailer }, data) => sendDigest(core, mailer, data),
  pushMessage: ({ core }, { messageId }, context) => pushMessage(core, messageId, context),
  deliverPush: ({ core, pushSender }, data) => deliverPush(core, pushSender, data),
  deliverWebhook: ({ core, webhookPoster }, data, context) => deliverWebhook(core, webhookPoster, data, context),
  appendAudit: ({ core }) => appendAndTell(core),
  removeBlobs: ({ core }) => removeAllListed(core),
  removeBlob: ({ core }, { blobId }) => removeBytes(core, oid(blobId)),
};

type Endings = { [N in JobName]?: (tools: Tools, data: JobData<N>) => Promise<unknown> };

/**
 * The end of a job that is given up because it ended its worker too often: whoever waits is told, and nothing enters it again. A
 * job without a row leaves nothing behind but its place among the failed ones.
 */
export const endings: Endings = {
  renderPreview: ({ core }, { imageId }) => giveUpPreview(core, imageId),
  renderFrame: ({ core }, { renderingId }) => giveUpFrame(core, renderingId),
  blackOut: ({ core }, { blackOutId }) => giveUpBlackOut(core, blackOutId),
  analyseImage: ({ core }, { imageId }) => giveUpAnalysis(core, imageId),
  renderPhoto: ({ core }, { photoId }) => giveUpPhoto(core, photoId),
  sendReminder: ({ core }, data) => giveUpReminders(core, data),
  deliverWebhook: ({ core }, data) => giveUpDelivery(core, data),
};
