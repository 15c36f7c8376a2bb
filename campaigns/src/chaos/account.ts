import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailbox } from '@lightbox/testkit/mailbox.js';

/** The faults and repetitions of calls before their final answers. */
export interface Encounters {
  /** Statuses 500 and above that are not "come back later", and answers outside the contract. */
  faults: string[];
  /** Calls sent again because there was no answer, or the answer was "come back later". */
  repeats: number;
  /** The calls that were answered “come back later”. */
  refused: string[];
}

interface Call {
  body?: object | FormData;
  headers?: Record<string, string>;
  /** The gateway; without it, the one that this client uses now. */
  at?: string;
}

/** 408 comes from a gateway without processor time, which has not read the request. */
const comeBackLater = new Set([408, 429, 503, 507]);

const withoutIds = (path: string): string => path.replace(/[0-9a-f]{24}/g, '{id}');

/** Longer than the longest time for which a part of the product may be away. */
const TIMEOUT_MS = 90_000;
const ANSWER_MS = 15_000;

/** A person with a client as careful as the product's own: idempotency keys, refreshed tokens, change of the gateway. */
export class Account {
  id = '';
  private token = '';
  private cookies = new Map<string, string>();
  private refreshing: Promise<void> | null = null;

  constructor(
    private readonly origins: readonly string[],
    private readonly met: Encounters,
    private turn = 0,
  ) {}

  get bearer(): string {
    return this.token;
  }

  /** The origin of the gateway that this client uses now. */
  get origin(): string {
    return this.origins[this.turn % this.origins.length] as string;
  }

  turnToOther(): void {
    this.turn++;
  }

  /** Signs in. On a busy machine the first call may be repeated, and then only the code of a later mail is right. */
  async signIn(email: string, password: string, mailbox: Mailbox): Promise<void> {
    const { token } = await this.ask<{ token: string }>('POST', '/auth/login', { body: { email, password } });
    for (let mails = 1; ; mails++) {
      const [mail] = (await mailbox.waitFor(email, 'Your verification code', mails, 180_000)).slice(-1);
      const code = /^Code: (\d{6})$/m.exec(mail?.text ?? '')?.[1];
      this.token = token;
      const body = { code };
      const confirmed = await this.ask<{ token: string; user: { id: string } }>('POST', '/auth/confirm', {
        body,
      }).catch((error: Error) => {
        if (mails === 3 || !error.message.includes('WRONG_CODE')) throw error;
      });
      if (!confirmed) continue;
      this.token = confirmed.token;
      this.id = confirmed.user.id;
      return;
    }
  }

  /** Repeats a call until the answer is final, and returns its `data`. Throws when the answer is an error. */
  async ask<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const answer = await this.answerOf(method, path, call);
    const body = (await answer.json()) as { data: T };
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(body)}`);
    return body.data;
  }

  async bytes(path: string, at?: string): Promise<Buffer> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const answer = await this.answerOf('GET', path, at ? { at } : {});
      if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status}`);
      const body = await answer.arrayBuffer().catch(() => null);
      if (body) return Buffer.from(body);
      if (Date.now() > deadline) throw new Error(`${path} was never received completely.`);
    }
  }

  private async answerOf(method: string, path: string, call: Call): Promise<Response> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (let pause = 100; ; pause = Math.min(pause * 2, 1000)) {
      const answer = await this.send(method, path, call).catch((error: Error) => error);
      const came = answer instanceof Response;
      if (came && (await this.isFinal(answer, method, path))) return answer;
      if (Date.now() > deadline) {
        const last = came ? `${answer.status} ${await answer.text()}` : answer.message;
        throw new Error(`${method} ${path}: no final answer in ${TIMEOUT_MS / 1000} s, at last ${last}`);
      }
      this.met.repeats++;
      this.turnToOther();
      await sleep(pause);
    }
  }

  private async isFinal(answer: Response, method: string, path: string): Promise<boolean> {
    const { status } = answer;
    if (comeBackLater.has(status)) {
      this.met.refused.push(`${method} ${withoutIds(path)}: ${status}`);
      return false;
    }
    if (status === 401 && path !== '/auth/refresh') {
      const { error } = (await answer.clone().json()) as { error: string };
      if (error !== 'JWT_EXPIRED') return true;
      await this.refresh();
      return false;
    }
    if (status < 500) return true;
    this.met.faults.push(`${method} ${withoutIds(path)}: ${status}`);
    return false;
  }

  refresh(): Promise<void> {
    this.refreshing ??= this.ask<{ token: string }>('POST', '/auth/refresh')
      .then(({ token }) => {
        this.token = token;
      })
      .finally(() => {
        this.refreshing = null;
      });
    return this.refreshing;
  }

  private async send(method: string, path: string, { body, headers, at = this.origin }: Call): Promise<Response> {
    const form = body instanceof FormData;
    const answer = await fetch(`${at}/api${path}`, {
      method,
      headers: {
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(body && !form ? { 'content-type': 'application/json' } : {}),
        ...(path.startsWith('/auth/') ? this.cookieHeaders() : {}),
        ...headers,
      },
      ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name) this.cookies.set(name, value ?? '');
    }
    return answer;
  }

  private cookieHeaders(): Record<string, string> {
    if (this.cookies.size === 0) return {};
    return {
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'x-xsrf-token': this.cookies.get('XSRF-TOKEN') ?? '',
    };
  }
}
