import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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

/** Starts a server for models that answers in two parts. The second one waits for `rest`. */
export async function modelServer() {
  const asked: string[] = [];
  let open: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    asked.push(body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: text.slice(0, 1_500) }));
    open = response;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const rest = () => open?.end(`${chunk({ content: text.slice(1_500) })}${chunk({}, 'stop')}data: [DONE]\n\n`);
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { asked, rest, host: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}
