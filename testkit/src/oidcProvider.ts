import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type ClientMetadata } from 'oidc-provider';

export const oidcClient = { id: 'lightbox', secret: 'Tidal-Copper-Meadow-31' };

export interface OidcPerson {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
  amr?: string[];
}

export interface OidcProvider {
  issuer: string;
  /** The people of the provider, by `sub`. */
  people: Map<string, OidcPerson>;
  /** Serves the product: from now on the provider answers. */
  serve: (
    client: Pick<ClientMetadata, 'redirect_uris' | 'post_logout_redirect_uris' | 'backchannel_logout_uri'>,
  ) => void;
  /** Changes the claims of the next ID token; the provider's own key signs it again. */
  tamper: (change: (claims: JWTPayload) => JWTPayload) => void;
  /** Signs a token with the key of the provider. */
  sign: (claims: JWTPayload, typ?: string) => Promise<string>;
  /** A browser of its own at the provider. */
  browser: () => OidcBrowser;
  stop: () => Promise<void>;
}

export interface OidcBrowser {
  /** Signs in at this address. Returns the address to which the provider sends the browser back. */
  signIn: (url: string, sub: string) => Promise<URL>;
  /** Signs out at the provider, which tells its clients. */
  signOut: (url: string) => Promise<void>;
}

const page = (action: string) => `<!doctype html><html lang="en"><title>Clinic directory</title>
<meta name="viewport" content="width=device-width"><h1>Clinic directory</h1>
<form method="post" action="${action}"><label>Account <input name="sub" autofocus></label> <button>Log in</button></form>`;

/** Starts a real OpenID Connect provider on loopback. Its form asks for the account alone. */
export async function startOidcProvider(): Promise<OidcProvider> {
  let listener: RequestListener = (_req, res) => {
    res.writeHead(503).end();
  };
  const server = createServer((req, res) => listener(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const people = new Map<string, OidcPerson>();
  let change: ((claims: JWTPayload) => JWTPayload) | undefined;
  const sign = (claims: JWTPayload, typ?: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key', ...(typ ? { typ } : {}) }).sign(privateKey);

  const serve: OidcProvider['serve'] = (uris) => {
    void exportJWK(privateKey).then((jwk) => {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: oidcClient.id,
            client_secret: oidcClient.secret,
            backchannel_logout_session_required: true,
            ...uris,
          },
        ],
        jwks: { keys: [{ ...jwk, kid: 'key', alg: 'RS256', use: 'sig' }] },
        // The provider would not call a client on this machine.
        fetch: (url, { method, headers, body } = {}) =>
          fetch(url, { method, headers, body } as RequestInit) as ReturnType<typeof fetch>,
        ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
        cookies: { keys: ['of a test'] },
        claims: {
          openid: ['sub', 'amr', 'acr'],
          email: ['email', 'email_verified'],
          profile: ['name', 'groups'],
          auth_time: null,
          sid: null,
        },
        features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
        interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
        findAccount: (_ctx, sub) => {
          const person = people.get(sub);
          return person && { accountId: sub, claims: () => ({ sub, ...person }) };
        },
        loadExistingGrant: async ({ oidc }) => {
          const { client, session } = oidc;
          if (!client || !session?.accountId) return undefined;
          const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
          grant.addOIDCScope('openid email profile');
          await grant.save();
          return grant;
        },
      });
      provider.use(async (ctx, next) => {
        await next();
        const body = ctx.body as { id_token?: string } | undefined;
        if (!change || !body?.id_token) return;
        const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString());
        ctx.body = { ...body, id_token: await sign(change(claims)) };
        change = undefined;
      });
      const handle = provider.callback();
      listener = (req, res) => {
        const { url = '' } = req;
        if (!url.startsWith('/login/')) return void handle(req, res);
        if (req.method === 'GET') return void res.setHeader('Content-Type', 'text/html').end(page(url));
        let text = '';
        req.on('data', (part) => {
          text += part;
        });
        req.on('end', () => {
          const sub = new URLSearchParams(text).get('sub') ?? '';
          const amr = people.get(sub)?.amr ?? ['pwd'];
          void provider.interactionFinished(req, res, { login: { accountId: sub, amr } });
        });
      };
    });
  };

  return {
    issuer,
    people,
    serve,
    tamper: (next) => {
      change = next;
    },
    sign,
    browser: () => browserAt(issuer),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Follows the provider's redirects with a cookie jar, and fills its form. */
function browserAt(issuer: string): OidcBrowser {
  const jar = new Map<string, string>();
  const ask = async (url: string | URL, form?: Record<string, string>) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]?.split(/=(.*)/s) ?? [];
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    return answer;
  };
  const nextOf = (answer: Response) => new URL(answer.headers.get('location') ?? '', issuer);
  return {
    signIn: async (url, sub) => {
      let answer = await ask(url);
      for (let steps = 0; steps < 8; steps += 1) {
        if (answer.status >= 400) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
        const next = answer.headers.has('location') ? nextOf(answer) : null;
        if (next && next.origin !== issuer) return next;
        answer = next?.pathname.startsWith('/login/') ? await ask(next, { sub }) : await ask(next ?? answer.url);
      }
      throw new Error('The provider never sent the browser back.');
    },
    signOut: async (url) => {
      const form = await (await ask(url)).text();
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '';
      await ask(`${issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
    },
  };
}
