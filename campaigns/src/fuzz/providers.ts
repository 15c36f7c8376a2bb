import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OidcProvider, oidcClient, startOidcProvider } from '@lightbox/testkit/oidcProvider.js';
import type { Product } from '@lightbox/testkit/product.js';

export const CLINIC = 'clinic';
export const HOSTILE = 'hostile';

/** An answer that a campaign writes in place of a provider. */
export interface Written {
  status: number;
  type: string;
  body: Buffer;
}

/** Two providers of single sign-on: one that works, and one that answers what a campaign writes. */
export interface Providers {
  clinic: OidcProvider;
  issuer: string;
  /** Sets the answer of the hostile provider for an address; null for its valid metadata. */
  answer: (write: (path: string) => Written | null) => void;
  /** The value of OIDC_PROVIDERS. */
  setting: string;
  serve: (product: Product) => void;
  stop: () => Promise<void>;
}

export async function startProviders(): Promise<Providers> {
  const clinic = await startOidcProvider();
  let write: (path: string) => Written | null = () => null;
  const server = createServer((req, res) => {
    const { status, type, body } = write(req.url ?? '') ?? {
      status: 200,
      type: 'application/json',
      body: Buffer.from(JSON.stringify(metadataOf(issuer))),
    };
    res.writeHead(status, { 'Content-Type': type }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const shared = {
    clientId: oidcClient.id,
    clientSecret: oidcClient.secret,
    roleClaim: 'groups',
    roles: { doctors: 'healthProvider' },
    defaultRole: 'patient',
    linkByEmail: true,
    secondFactor: { amr: ['mfa'] },
  };
  return {
    clinic,
    issuer,
    answer: (next) => {
      write = next;
    },
    setting: JSON.stringify([
      { id: CLINIC, name: 'Clinic account', issuer: clinic.issuer, ...shared },
      { id: HOSTILE, name: 'Hostile', issuer, ...shared },
    ]),
    serve: ({ url }) => {
      const hosts = ['localhost', '127.0.0.1'].map((host) => `http://${host}:${new URL(url).port}`);
      clinic.serve({
        redirect_uris: hosts.map((host) => `${host}/sign-on/${CLINIC}`),
        post_logout_redirect_uris: hosts.map((host) => `${host}/login`),
      });
    },
    stop: async () => {
      await clinic.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/me`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
});
