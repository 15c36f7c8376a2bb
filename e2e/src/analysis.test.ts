import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { test } from './journey.js';
import { Person } from './person.js';
import { demoPeople, type OwnProduct, startProduct } from './product.js';

let product: OwnProduct | undefined;
let server: Server | undefined;
afterAll(async () => {
  await product?.stop();
  server?.closeAllConnections();
  server?.close();
});

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'vision-1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

const text = JSON.stringify({
  description: `<img src=x onerror="document.title='taken'"> A picture.${' It is described at length.'.repeat(80)}`,
  differentialDiagnosis: [{ condition: '<b>Nothing</b>', confidence: 0.4 }],
  treatment: [],
  followUp: [],
  warnings: [],
  confidence: 0.4,
});

/** A server that answers in two parts. The second one waits for `rest`. */
async function modelServer() {
  const asked: string[] = [];
  let open: ServerResponse | undefined;
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    asked.push(body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: text.slice(0, 1_500) }));
    open = response;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const rest = () => open?.end(`${chunk({ content: text.slice(1_500) })}${chunk({}, 'stop')}data: [DONE]\n\n`);
  return { asked, rest, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('A picture goes to a model server after the person has read where, with progress on the screen, and no markup of the answer is rendered.', async ({
  browser,
}) => {
  const model = await modelServer();
  const ai = { AI_PROVIDER: 'openai', AI_BASE_URL: `http://${model.host}/v1`, AI_MODEL: 'vision-1' };
  product = await startProduct({ demo: true, env: ai });
  const { healthProvider } = await demoPeople(product);
  const person = await Person.arrive(product, browser, healthProvider);
  await person.enter();
  const images =
    await person.call<{ id: string; contentType: string; analysis?: { status: string } }[]>('/upload/my-images');
  const image = images.find(({ contentType, analysis }) => contentType === 'image/jpeg' && analysis?.status === 'none');
  const { page } = person;
  await page.goto(`/ai-analysis/${image?.id}`);
  await page.getByText(model.host).waitFor();
  const faults = await person.lookTwice('analysis-goes-away');
  expect(model.asked).toHaveLength(0);
  await page.getByRole('button', { name: 'Send and analyze' }).click();
  // A third of the answer has arrived: the bar stands between the question and the end.
  const bar = page.getByRole('progressbar', { name: 'Progress of the analysis' });
  await expect
    .poll(async () => Number(await bar.getAttribute('aria-valuenow')), { timeout: 30_000 })
    .toBeGreaterThan(40);
  model.rest();
  await page.getByText('A picture. It is described').waitFor();
  expect(await page.title()).not.toBe('taken');
  expect(await page.locator('main article img, main article b').count()).toBe(0);
  expect(model.asked).toHaveLength(1);
  expect(faults).toEqual([]);
  await person.leave();
}, 120_000);
