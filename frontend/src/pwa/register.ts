import { currentCode, i18n } from '../i18n';
import { toast } from '../lib/toaster';

/** Offers a new version in a toast. It waits for the person's click, because a reload would lose typed text. */
function offer(worker: ServiceWorker) {
  toast.info(i18n.t('app.update.title'), {
    lasting: true,
    action: { label: i18n.t('app.update.act'), onClick: () => worker.postMessage('take over') },
  });
}

/** Sends the language to the service worker, which shows notifications and cannot read local storage. */
async function sendLanguage() {
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage({ language: currentCode() });
}

/** Registers the service worker, for installation and for an offline start. The app works without it too. */
export async function registerWorker() {
  if (!import.meta.env.PROD || !navigator.serviceWorker) return;
  try {
    const updating = Boolean(navigator.serviceWorker.controller);
    navigator.serviceWorker.addEventListener('controllerchange', () => updating && window.location.reload());
    const registration = await navigator.serviceWorker.register('/sw.js');
    i18n.on('languageChanged', () => void sendLanguage());
    void sendLanguage();
    if (registration.waiting && updating) offer(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => {
        if (worker.state === 'installed' && navigator.serviceWorker.controller) offer(worker);
      });
    });
  } catch {
    // Private windows and plain http have no service worker.
  }
}
