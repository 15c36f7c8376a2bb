import { Agent, request } from 'node:http';

export interface Reply {
  status: number;
  body: Buffer;
}

interface Call {
  method?: string;
  token?: string | undefined;
  type?: string;
  body?: Buffer;
  /** The client's address in the header that a proxy adds. */
  from?: string;
  /** The part of a file, as RFC 9110 writes it: `bytes=0-99`. */
  range?: string | undefined;
}

/** Closes a connection that is not used before the server does: a call over it would fail. */
const agent = new Agent({ keepAlive: true, timeout: 30_000 });

/** Makes one HTTP call over a kept connection, with as little work in the client as possible. */
export function call(url: string, { method = 'GET', token, type, body, from, range }: Call = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(type ? { 'content-type': type } : {}),
      ...(from ? { 'x-forwarded-for': from } : {}),
      ...(range ? { range } : {}),
      ...(body ? { 'content-length': body.length } : {}),
    };
    const req = request(url, { method, headers, agent, timeout: 60_000 }, (res) => {
      const parts: Buffer[] = [];
      res.on('data', (part: Buffer) => parts.push(part));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, body: Buffer.concat(parts) }));
      res.on('error', reject);
    });
    req.on('timeout', () => req.destroy(new Error(`No answer from ${url}`)));
    req.on('error', (error) => reject(new Error(`${method} ${url}: ${error.message}`)));
    req.end(body);
  });
}

/** Returns the `data` of the answer. Throws when the call failed. */
export async function data<T>(reply: Promise<Reply>): Promise<T> {
  const { status, body } = await reply;
  if (status >= 300) throw new Error(`${status} ${body.toString().slice(0, 300)}`);
  return (JSON.parse(body.toString()) as { data: T }).data;
}

export const postJson = (url: string, body: object, token?: string): Promise<Reply> =>
  call(url, { method: 'POST', token, type: 'application/json', body: Buffer.from(JSON.stringify(body)) });

export const closeConnections = (): void => agent.destroy();
