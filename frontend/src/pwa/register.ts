import { currentCode, i18n } from '../i18n';
import { toast } from '../lib/toaster';

/** True after the person has agreed in this tab. */
let agreed = false;

/** Offers a new version in a toast. It waits for the person's click, because a reload would lose typed text. */
function offer(take: () => void) {
  const onClick = () => {
    agreed = true;
    take();
  };
  toast.info(i18n.t('app.update.title'), {
    id: 'update',
    lasting: true,
    action: { label: i18n.t('app.update.act'), onClick },
  });
}

const offerWorker = (worker: ServiceWorker) => offer(() => worker.postMessage('take over'));
const reload = () => window.location.reload();

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
    navigator.serviceWorker.addEventListener('controllerchange', () => {
      if (!updating) return;
      // The person has agreed in another tab: here only the reload is left.
      if (agreed) reload();
      else offer(reload);
    });
    const registration = await navigator.serviceWorker.register('/sw.js');
    i18n.on('languageChanged', () => void sendLanguage());
    void sendLanguage();
    if (registration.waiting && updating) offerWorker(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => {
        if (worker.state === 'installed' && navigator.serviceWorker.controller) offerWorker(worker);
      });
    });
  } catch {
    // Private windows and plain http have no service worker.
  }
}
