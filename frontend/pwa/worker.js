/**
 * Keeps the frame of the app for a start without a connection, and nothing else: only built files, which hold no
 * person's data. Calls, sockets and images are never looked at. The build puts its files in the place of the list.
 */
const files = self.__FILES__;
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
self.addEventListener('message', ({ data }) => {
  if (data === 'take over') self.skipWaiting();
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
