/**
 * Keeps the frame of the app for a start without a connection: only built files, which hold no person's data. Calls, sockets
 * and images are never looked at. And words what a push tells, which is its kind and an id. The build puts its files in
 * the place of the list, and the app's own words and addresses in that of the tables.
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

/** Never by itself: the page asks once its person has said so. */
self.addEventListener('message', (event) => {
  if (event.data === 'take over') self.skipWaiting();
  else if (event.data?.language) event.waitUntil(keepLanguage(event.data.language));
});

/** The page as it is now, or the kept one while there is no connection. */
async function visit(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(page, { cacheName: name })) ?? Response.error();
  }
}

/** Built files carry a hash in their names: what is kept is what would be fetched. */
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

/** The pages tell their language: a worker cannot read where they keep it. */
const kept = { cacheName: 'preferences' };

async function keepLanguage(language) {
  const cache = await caches.open(kept.cacheName);
  await cache.put('/language', new Response(language));
}

async function language() {
  const code = await (await caches.match('/language', kept))?.text();
  return Object.hasOwn(words, code) ? code : 'en';
}

/** The tabs of the app, the one that was used last first. */
const tabs = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

/** Somebody looks at it: what is new, it shows itself, or at the next sign-in. */
const shows = (tab) => tab.focused && tab.visibilityState === 'visible';

async function tell({ kind, recordId }) {
  if ((await tabs()).some(shows)) return;
  const lang = await language();
  const { dir, kinds } = words[lang];
  const known = Object.hasOwn(places, kind) ? kind : 'other';
  const [withId, without] = places[known] ?? ['/', '/'];
  const path = recordId ? withId.replace(':id', recordId) : without;
  await self.registration.showNotification(kinds[known].title, {
    body: kinds[known].text,
    // One for each kind: the next takes its place.
    tag: known,
    lang,
    dir,
    icon: '/icons/192.png',
    data: { path },
  });
}

/** What cannot be read is still something new: a push that shows nothing is held against the app. */
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
  // Told and not navigated: what was half written there stays.
  tab.postMessage({ open: path });
  return tab.focus();
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

/** The push service gave another address. Only a signed-in page can tell the server: one that is open, or the next one. */
async function renew({ oldSubscription, newSubscription }) {
  if (!newSubscription && oldSubscription) await self.registration.pushManager.subscribe(oldSubscription.options);
  for (const tab of await tabs()) tab.postMessage('subscription changed');
}

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));
