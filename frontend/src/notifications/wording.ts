import type { Notification } from '@lightbox/contract/notifications/calls.js';
import { viewerNow } from '../auth/session';
import { i18n } from '../i18n';
import { daysAgo, formatDate, formatTime, fullName } from '../lib/format';
import { textsOf } from './places';

function endOf(expiresAt: string): string {
  const [ahead, time] = [-daysAgo(expiresAt), formatTime(expiresAt)];
  if (ahead === 0) return i18n.t('notifications.endsToday', { time });
  return ahead === 1
    ? i18n.t('notifications.endsTomorrow', { time })
    : i18n.t('notifications.endsOn', { date: formatDate(expiresAt), time });
}

/**
 * Returns the words of a notification inside the product. They name the person and the image while the viewer may know
 * them, and are otherwise the plain words, which devices show too.
 */
export function wordsOf(notice: Notification): { title: string; text: string } {
  const { kind, actor, caption, expiresAt } = notice;
  const texts = textsOf(notice);
  const plain = { title: i18n.t(`${texts}.title`), text: i18n.t(`${texts}.text`) };
  const name = actor && fullName(actor);
  const named = (title: string) => ({ ...plain, title });
  if (kind === 'share.created' && name && caption) {
    const title = i18n.t('notifications.named.shared', { name, caption });
    return { title, text: expiresAt ? endOf(expiresAt) : plain.text };
  }
  if (kind === 'share.verified' && name && caption) {
    return named(i18n.t('notifications.named.verified', { name, caption }));
  }
  if (kind === 'share.locked' && name && caption) {
    return named(i18n.t('notifications.named.locked', { name, caption }));
  }
  if (kind === 'analysis.completed' && caption) return named(i18n.t('notifications.named.analysed', { caption }));
  if (kind === 'analysis.failed' && caption) return named(i18n.t('notifications.named.notAnalysed', { caption }));
  if (kind === 'analysis.signed' && name && caption) {
    return named(i18n.t('notifications.named.signed', { name, caption }));
  }
  if (kind === 'analysis.withdrawn' && caption) return named(i18n.t('notifications.named.withdrawn', { caption }));
  if (kind === 'provider.registered' && name) return named(i18n.t('notifications.named.waiting', { name }));
  if (kind === 'user.bulkRead' && name) return named(i18n.t('notifications.named.bulkRead', { name }));
  if (kind === 'emergency.opened' && name) {
    const whose = viewerNow().role === 'patient' ? 'yourImages' : 'emergency';
    return named(i18n.t(`notifications.named.${whose}`, { name }));
  }
  if (kind === 'emergency.questioned' && name) return named(i18n.t('notifications.named.questioned', { name }));
  if (kind === 'emergency.answered' && name) return named(i18n.t('notifications.named.answered', { name }));
  if (kind === 'carer.named' && name) return named(i18n.t('notifications.named.carerNamed', { name }));
  if (kind === 'carer.accepted' && name) return named(i18n.t('notifications.named.carerAccepted', { name }));
  if (kind === 'carer.ended' && name) return named(i18n.t('notifications.named.carerEnded', { name }));
  return plain;
}
