import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { newId } from '@lightbox/core/db/ids.js';
import express, { type RequestHandler, Router } from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { directRoutes } from './directRoutes.js';

/** Serves these routes. Each answers with its path, its parameters, and whether it was found without the router. */
async function serve(...paths: string[]) {
  const router = Router();
  let direct: RequestHandler = (_req, _res, next) => next();
  router.use((req, res, next) => direct(req, res, next));
  router.use((_req, res, next) => {
    res.locals.walked = true;
    next();
  });
  const first = router.stack.length;
  for (const path of paths) {
    router.get(path, (req, res, next) => {
      if (req.query.pass === path) return next('route');
      res.json({ path, params: req.params, direct: !res.locals.walked });
    });
  }
  direct = directRoutes(router, first);
  const server = express().use('/api', router).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (path: string, method = 'GET') => {
    const answer = await fetch(`${origin}/api${path}`, { method });
    return answer.status === 200 && method === 'GET' ? answer.json() : answer.status;
  };
}

it('A call is found by the shape of its path, with its parameters; all others are left to the router.', async () => {
  const get = await serve('/images/:id/frames/:n', '/images/:id', '/images/first', '/people/:person');
  const id = String(newId());
  const frame = { path: '/images/:id/frames/:n', params: { id, n: '12' } };
  expect(await get(`/images/${id}/frames/12?x=1`)).toEqual({ ...frame, direct: true });
  expect(await get(`/images/${id}`)).toEqual({ path: '/images/:id', params: { id }, direct: true });
  expect(await get(`/people/${id}`)).toEqual({ path: '/people/:person', params: { person: id }, direct: true });
  expect(await get('/images/first')).toEqual({ path: '/images/first', params: {}, direct: true });
  // Written in another way, or with another value.
  expect(await get(`/images/${id}/frames/12/`)).toEqual({ ...frame, direct: false });
  expect(await get(`/IMAGES/${id}/frames/12`)).toEqual({ ...frame, direct: false });
  expect(await get(`/images/${id}/frames/1%32`)).toEqual({ ...frame, direct: false });
  expect(await get('/people/some%20body')).toEqual({
    path: '/people/:person',
    params: { person: 'some body' },
    direct: false,
  });
  expect(await get(`/images/${id}`, 'HEAD')).toBe(200);
  expect(await get(`/images/${id}`, 'POST')).toBe(404);
  expect(await get(`/images/${id}/frames`)).toBe(404);
});

it('Of two routes with one path, the first is found; what it passes on goes to the next one.', async () => {
  const get = await serve('/images/:id', '/images/:other');
  const id = String(newId());
  expect(await get(`/images/${id}`)).toEqual({ path: '/images/:id', params: { id }, direct: true });
  expect(await get(`/images/${id}?pass=/images/:id`)).toEqual({
    path: '/images/:other',
    params: { other: id },
    direct: false,
  });
});
