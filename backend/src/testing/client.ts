import { PATIENCE_MS } from '@lightbox/testkit/patience.js';
import { io, type Socket } from 'socket.io-client';
import request, { type Test } from 'supertest';

export interface UploadForm {
  path?: string;
  /** The parts in the order in which they are sent. */
  parts: ({ name: string; value: string } | { name: string; file: Buffer; filename?: string; type?: string })[];
}

/**
 * Makes calls below `/api`, with a person's token or without one. The address is read at each call, because the server
 * may start later.
 */
export class Client {
  constructor(
    private readonly server: string | { url: string },
    private readonly token: string | null = null,
  ) {}

  private get url(): string {
    return typeof this.server === 'string' ? this.server : this.server.url;
  }

  as(person: { token: string } | string | null): Client {
    return new Client(this.server, typeof person === 'string' ? person : (person?.token ?? null));
  }

  get = (path: string): Test => this.sign(request(this.url).get(`/api${path}`));
  post = (path: string, body?: object): Test => this.send(request(this.url).post(`/api${path}`), body);
  put = (path: string, body?: object): Test => this.send(request(this.url).put(`/api${path}`), body);
  del = (path: string, body?: object): Test => this.send(request(this.url).delete(`/api${path}`), body);
  call = (method: string, path: string, body?: object): Test =>
    this.send(request(this.url)[method as 'post'](`/api${path}`), body);

  /** Any bytes as a body of any type. */
  raw = (path: string, type: string, body: Buffer | string): Test =>
    this.sign(request(this.url).post(`/api${path}`).set('Content-Type', type)).send(body);

  upload(file: Buffer, fields: Record<string, string> = { caption: 'A caption' }, filename = 'file'): Test {
    const parts = Object.entries(fields).map(([name, value]) => ({ name, value }));
    return this.form({ parts: [...parts, { name: 'file', file, filename }] });
  }

  form({ parts, path = '/upload/image' }: UploadForm): Test {
    const test = this.sign(request(this.url).post(`/api${path}`));
    for (const part of parts) {
      if ('value' in part) test.field(part.name, part.value);
      else
        test.attach(part.name, part.file, {
          filename: part.filename ?? 'file',
          contentType: part.type ?? 'application/octet-stream',
        });
    }
    return test;
  }

  private send(test: Test, body: object | undefined): Test {
    this.sign(test);
    return body === undefined ? test : test.send(body);
  }

  private sign(test: Test): Test {
    return this.token === null ? test : test.set('Authorization', `Bearer ${this.token}`);
  }
}

/** Builds a multipart body with exactly these bytes between its boundaries. */
export const boundary = 'lightbox-test-boundary';
export const multipart = (...parts: string[]): string =>
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`;

type Answer = { data?: unknown; error?: string; message?: string; errors?: { field: string }[] };

export interface TestSocket {
  socket: Socket;
  /** All payloads of an event so far. */
  seen: (event: string) => unknown[];
  /** Waits until `n` payloads of an event have arrived. */
  until: (event: string, n?: number) => Promise<unknown[]>;
  ask: (event: string, ...args: unknown[]) => Promise<Answer>;
}

/** Connects, or rejects with the server's `connect_error`. */
export function connectSocket(
  url: string,
  auth: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<TestSocket> {
  const socket = io(url, {
    auth,
    transports: ['websocket'],
    reconnection: false,
    extraHeaders: headers,
    forceNew: true,
  });
  const payloads = new Map<string, unknown[]>();
  const seen = (event: string) => payloads.get(event) ?? [];
  socket.onAny((event: string, payload: unknown) => {
    payloads.set(event, [...seen(event), payload]);
  });
  const until = (event: string, n = 1) =>
    new Promise<unknown[]>((resolve, reject) => {
      const check = () => {
        if (seen(event).length < n) return;
        clearTimeout(timer);
        socket.offAny(check);
        resolve(seen(event));
      };
      const timer = setTimeout(() => {
        socket.offAny(check);
        reject(new Error(`${seen(event).length} of ${n} '${event}' came.`));
      }, PATIENCE_MS);
      socket.onAny(check);
      check();
    });
  const ask = (event: string, ...args: unknown[]): Promise<Answer> =>
    socket.timeout(PATIENCE_MS).emitWithAck(event, ...args);
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve({ socket, seen, until, ask }));
    socket.once('connect_error', (error) => {
      socket.close();
      reject(error);
    });
  });
}
