import { currentCode, i18n } from '../i18n';
import { toast } from '../lib/toaster';

/** A new version waits until its person says so: nobody's half-written message is reloaded away. */
function offer(worker: ServiceWorker) {
  toast.info(i18n.t('app.update.title'), {
    lasting: true,
    action: { label: i18n.t('app.update.act'), onClick: () => worker.postMessage('take over') },
  });
}

/** The worker words notifications, and cannot read what this browser chose. */
async function tellLanguage() {
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage({ language: currentCode() });
}

/** For installing and for a start without a connection; a page without it works all the same. */
export async function registerWorker() {
  if (!import.meta.env.PROD || !navigator.serviceWorker) return;
  try {
    const updating = Boolean(navigator.serviceWorker.controller);
    navigator.serviceWorker.addEventListener('controllerchange', () => updating && window.location.reload());
    const registration = await navigator.serviceWorker.register('/sw.js');
    i18n.on('languageChanged', () => void tellLanguage());
    void tellLanguage();
    if (registration.waiting && updating) offer(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => {
        if (worker.state === 'installed' && navigator.serviceWorker.controller) offer(worker);
      });
    });
  } catch {
    // Private windows and plain http: no worker, nothing lost.
  }
}
