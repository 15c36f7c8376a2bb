import type { Message } from '@lightbox/contract/messages/calls.js';
import { socketAtom } from '../lib/connection';
import { Recent } from '../lib/recent';
import { emit } from '../lib/socket';
import { store } from '../lib/store';
import { me } from './keys';

/** The messages whose delivery is not reported yet. */
const toReport = new Set<string>();
const reported = new Recent();
let reporting = false;
const reportAtOnce = 200;

/** Reports deliveries in batches: one report for a whole page of messages. */
function reportSoon() {
  if (reporting || !toReport.size) return;
  reporting = true;
  setTimeout(report, 60);
}

/** Reports to the senders that their messages were delivered. */
export function acknowledge(messages: Message[]) {
  const mine = messages.filter(
    ({ recipientId, deliveredAt, id }) => recipientId === me() && !deliveredAt && !reported.has(id),
  );
  for (const { id } of mine) toReport.add(id);
  reportSoon();
}

export async function report() {
  reporting = false;
  const ids = [...toReport].slice(0, reportAtOnce);
  if (!ids.length || store.get(socketAtom) !== 'on') return;
  for (const id of ids) {
    toReport.delete(id);
    reported.add(id);
  }
  try {
    await emit('message:delivered', { ids });
  } catch {
    for (const id of ids) {
      reported.delete(id);
      toReport.add(id);
    }
    return;
  }
  reportSoon();
}

/** Clears the reports when the account changes or signs out. */
export function forgetReports() {
  toReport.clear();
  reported.clear();
}
