import type { WebhookData } from '@lightbox/contract/webhooks/events.js';
import { consequencesOf } from '../events/reactions.js';
import type { EventDoc } from '../models/event.js';
import type { WebhookNews } from './deliveries.js';

/** The ids of an event, by the kind of record that it is about. Of a study, the image that stands for it is named too. */
function dataOf(type: WebhookNews['type'], { record, refs }: EventDoc): WebhookData {
  const text = String(record);
  const target = refs.lead ? { imageId: String(refs.lead), studyId: text } : { imageId: text };
  const [group] = type.split('.');
  if (group === 'share') return { shareId: String(refs.share), ...target };
  if (group === 'guest') return { guestLinkId: String(refs.link), ...target };
  if (group === 'study') return { studyId: text };
  if (group === 'request') return { requestId: text };
  if (group === 'emergency') return { emergencyId: text };
  return { imageId: text, ...(refs.study ? { studyId: String(refs.study) } : {}) };
}

/** Returns the news for webhooks that follows from an event. */
export function webhookNewsOf(event: EventDoc): WebhookNews[] {
  const type = consequencesOf(event.type)?.webhook;
  if (!type || !event.record) return [];
  return [{ event: event._id, type, data: dataOf(type, event), at: event.at, people: event.recipients }];
}
