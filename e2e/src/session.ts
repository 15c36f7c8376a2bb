import type { ReceivedMail } from '@lightbox/testkit/mailbox.js';

export interface Account {
  email: string;
  password: string;
}

/** The mails that a product has sent. Those of the shared product are in another process (`sharedProduct.ts`). */
export interface Mails {
  mails: (to: string, subject?: string) => ReceivedMail[] | Promise<ReceivedMail[]>;
  waitFor: (to: string, subject: string, n?: number) => Promise<ReceivedMail[]>;
}

/** Sends a call of the API with a body, and returns its answer. */
export type Post = (path: string, data: object, headers: Record<string, string>) => Promise<unknown>;

/** The subject of the mail with the code of a login. */
export const codeMail = 'Your verification code';

/** Returns the value on the line `name: value` of a mail. */
export const line = (text: string, name: string): string =>
  new RegExp(`^${name}: (\\S+)\\s*$`, 'm').exec(text)?.[1] ?? '';

/** Logs in by two calls, with the mailed code, and returns the session. */
export async function sessionOf(mailbox: Mails, { email, password }: Account, post: Post): Promise<{ token: string }> {
  const ask = async (path: string, data: object, token?: string) => {
    const answer = await post(path, data, token ? { Authorization: `Bearer ${token}` } : {});
    return (answer as { data: { token: string } }).data;
  };
  const before = (await mailbox.mails(email, codeMail)).length;
  const { token } = await ask('/auth/login', { email, password });
  const mails = await mailbox.waitFor(email, codeMail, before + 1);
  return ask('/auth/confirm', { code: line(mails.at(-1)?.text ?? '', 'Code') }, token);
}

/** Returns a function that posts to the API of the product at `url`. */
export const postTo =
  (url: string): Post =>
  async (path, data, headers) => {
    const all = { 'Content-Type': 'application/json', ...headers };
    const answer = await fetch(`${url}/api${path}`, { method: 'POST', headers: all, body: JSON.stringify(data) });
    if (!answer.ok) throw new Error(`POST ${path} was answered with ${answer.status}`);
    return answer.json();
  };
