/**
 * The service worker. It caches the built files, so that the app starts without a connection; these files hold no data of
 * people. It does not handle API calls, sockets and images. It also shows notifications: a push carries a kind and an id, and
 * the worker has the words for them. The build replaces the placeholders by the list of files and the tables of words and
 * addresses.
 */
const files = self.__FILES__;
const { words, places } = self.__TABLES__;
const name = `shell-${self.__VERSION__}`;
const page = '/index.html';

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(name).then((cache) => cache.addAll(files.map((file) => new Request(file, { cache: 'reload' })))),
  );
});

self.addEventListener('activate', (event) => {
  const old = (names) => names.filter((one) => one.startsWith('shell-') && one !== name);
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(old(names).map((one) => caches.delete(one))))
      .then(() => self.clients.claim()),
  );
});

/** A new version takes over only when the page asks, after the user has agreed. */
self.addEventListener('message', (event) => {
  if (event.data === 'take over') self.skipWaiting();
  else if (event.data?.language) event.waitUntil(keepLanguage(event.data.language));
});

/** The page from the server, or the cached one while there is no connection. */
async function visit(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(page, { cacheName: name })) ?? Response.error();
  }
}

/** A built file has a hash in its name, so the cached file equals the one on the server. */
async function built(request) {
  const kept = await caches.match(request, { cacheName: name });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) {
    const copy = answer.clone();
    caches.open(name).then((cache) => cache.put(request, copy));
  }
  return answer;
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (/^\/(api|socket\.io|admin|healthz|readyz)(\/|$)/.test(pathname)) return;
  if (request.mode === 'navigate') event.respondWith(visit(request));
  else if (pathname.startsWith('/assets/') || files.includes(pathname)) event.respondWith(built(request));
});

/** The pages send their language, because a worker cannot read local storage. */
const kept = { cacheName: 'preferences' };

async function keepLanguage(language) {
  const cache = await caches.open(kept.cacheName);
  await cache.put('/language', new Response(language));
}

async function language() {
  const code = await (await caches.match('/language', kept))?.text();
  return Object.hasOwn(words, code) ? code : 'en';
}

/** The open tabs of the app, the last used one first. */
const tabs = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

/** True for a tab in the foreground: it shows the news itself, or after the next sign-in. */
const shows = (tab) => tab.focused && tab.visibilityState === 'visible';

async function tell({ kind, recordId, count }) {
  if ((await tabs()).some(shows)) return;
  const lang = await language();
  const { dir, kinds } = words[lang];
  const known = Object.hasOwn(kinds, kind) ? kind : 'other';
  const [withId, without] = places[known] ?? ['/', '/'];
  const path = recordId ? withId.replace(':id', recordId) : without;
  await self.registration.showNotification(kinds[known].title.replace('{{count}}', count), {
    body: kinds[known].text,
    // One notification of each kind: a new one replaces it.
    tag: known,
    lang,
    dir,
    icon: '/icons/192.png',
    data: { path },
  });
}

/** Returns an empty object for data that cannot be parsed. Browsers withdraw the permission of an app that shows nothing for a push. */
function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

self.addEventListener('push', (event) => event.waitUntil(tell(read(event.data))));

async function open(path) {
  const [tab] = await tabs();
  if (!tab) return self.clients.openWindow(path);
  // The tab opens the page itself, so that a half-written message stays.
  tab.postMessage({ open: path });
  return tab.focus();
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

/** The push service has changed the address. Only a signed-in page can report it to the server: an open one, or the next one. */
async function renew({ oldSubscription, newSubscription }) {
  if (!newSubscription && oldSubscription) await self.registration.pushManager.subscribe(oldSubscription.options);
  for (const tab of await tabs()) tab.postMessage('subscription changed');
}

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));
