import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const info = vi.fn();
vi.mock('../lib/toaster', () => ({ toast: { info } }));
const reload = vi.fn();
const postMessage = vi.fn();

/** A fake of the browser's service worker: a new version waits, or not. */
async function load(waiting: { postMessage: () => void } | null): Promise<EventTarget> {
  const worker = Object.assign(new EventTarget(), {
    controller: {},
    ready: Promise.resolve({ active: null }),
    register: async () => Object.assign(new EventTarget(), { waiting }),
  });
  Object.defineProperty(navigator, 'serviceWorker', { value: worker, configurable: true });
  vi.resetModules();
  const { registerWorker } = await import('./register');
  await registerWorker();
  return worker;
}
const click = () => info.mock.lastCall?.[1].action.onClick();

beforeEach(() => {
  vi.clearAllMocks();
  vi.stubEnv('PROD', true);
  vi.stubGlobal('location', { reload });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

it('The tab in which the person agrees to the new version is loaded again.', async () => {
  const worker = await load({ postMessage });
  click();
  expect(postMessage).toHaveBeenCalledWith('take over');
  worker.dispatchEvent(new Event('controllerchange'));
  expect(reload).toHaveBeenCalledTimes(1);
});

it('Another tab keeps its typed text: the new version is offered there.', async () => {
  const worker = await load(null);
  worker.dispatchEvent(new Event('controllerchange'));
  expect(reload).not.toHaveBeenCalled();
  expect(info).toHaveBeenCalledTimes(1);
  click();
  expect(reload).toHaveBeenCalledTimes(1);
});
