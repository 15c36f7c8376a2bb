import { startSession } from '../auth/session';

/** Signs a provider in whose uploads the tests are about. */
export const signIn = ({ id = 'a'.repeat(24), token = 'token' } = {}): void =>
  startSession(
    {
      ...{ id, email: 'a@example.org', username: 'ana', firstname: 'Ana', lastname: 'Ruiz' },
      role: { name: 'healthProvider' },
    },
    token,
  );

/** One request of an upload, as the test sees and answers it. */
export interface Sent {
  key: string | undefined;
  body: FormData;
  answer: (status: number, body: object, headers?: Record<string, string>) => void;
  /** The connection is lost. */
  lose: () => void;
  progress: (share: number) => void;
  aborted: boolean;
}

/** The requests of the current test. */
export const sent: Sent[] = [];

/** A replacement for XMLHttpRequest with the parts that an upload uses. The test sets the answers. */
export class FakeXhr {
  upload: { onprogress?: (event: object) => void } = {};
  status = 0;
  responseText = '';
  onload = () => {};
  onabort = () => {};
  onerror = () => {};
  headers: Record<string, string> = {};
  answered: Record<string, string> = {};
  own: Sent | undefined;
  open() {}
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  getResponseHeader(name: string) {
    return this.answered[name] ?? null;
  }
  abort() {
    if (this.own) this.own.aborted = true;
    this.onabort();
  }
  send(body: FormData) {
    this.own = {
      key: this.headers['Idempotency-Key'],
      body,
      aborted: false,
      lose: () => this.onerror(),
      progress: (share) => this.upload.onprogress?.({ lengthComputable: true, loaded: share * 100, total: 100 }),
      answer: (status, answer, headers = {}) => {
        this.status = status;
        this.answered = headers;
        this.responseText = JSON.stringify(answer);
        this.onload();
      },
    };
    sent.push(this.own);
  }
}
