import type { Config } from '@lightbox/core/config/config.js';
import type { SignOnProvider } from '@lightbox/core/config/singleSignOn.js';
import { AppError } from '@lightbox/core/errors.js';
import { boundedBody } from '@lightbox/core/net/boundedBody.js';
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import * as oidc from 'openid-client';

/** The metadata of a provider is read again after this time, and its keys when a new one is used. */
const FRESH_MS = 15 * 60_000;
const TIMEOUT_SECONDS = 5;
const RETRY_SECONDS = 30;
/** Metadata and keys take some kilobytes, the groups of a person more. Anybody may make a gateway ask a provider. */
const MOST_BYTES = 1024 * 1024;

/** A provider with its metadata. */
export interface Discovered {
  provider: SignOnProvider;
  client: oidc.Configuration;
  /** The provider's keys, for tokens that arrive outside a sign-in. */
  keys: JWTVerifyGetKey;
}

/** The error for a provider that cannot be reached. */
export const away = () => new AppError('SIGN_ON_AWAY', { retryAfterSeconds: RETRY_SECONDS });

/** The configured providers of single sign-on. The metadata of each is read when it is first needed. */
export class SignOnProviders {
  private readonly known = new Map<string, { at: number; found: Promise<Discovered> }>();

  constructor(private readonly config: Pick<Config, 'signOn'>) {}

  get all(): readonly SignOnProvider[] {
    return this.config.signOn;
  }

  /** Returns a provider; `NOT_FOUND` for one that is not configured. */
  require(id: string): SignOnProvider {
    const provider = this.all.find((one) => one.id === id);
    if (!provider) throw new AppError('NOT_FOUND');
    return provider;
  }

  /** Returns a provider with its metadata. Throws `SIGN_ON_AWAY` when it cannot be reached. */
  async discover(id: string): Promise<Discovered> {
    const provider = this.require(id);
    const known = this.known.get(id);
    if (known && performance.now() - known.at < FRESH_MS) return known.found;
    const found = discover(provider);
    this.known.set(id, { at: performance.now(), found });
    // A failure is not remembered.
    found.catch(() => {
      if (this.known.get(id)?.found === found) this.known.delete(id);
    });
    return found;
  }
}

const boundedFetch = async (url: string, init: RequestInit): Promise<Response> =>
  boundedBody(
    await fetch(url, init),
    MOST_BYTES,
    () => new TypeError('The answer of the provider is too long.'),
    init.signal,
  );

async function discover(provider: SignOnProvider): Promise<Discovered> {
  const { issuer, clientId, clientSecret } = provider;
  const insecure = new URL(issuer).protocol === 'http:';
  try {
    const client = await oidc.discovery(new URL(issuer), clientId, undefined, authenticationOf(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      [oidc.customFetch]: (url, init) => boundedFetch(url, init as RequestInit),
      // The configuration allows it on loopback and for the hosts of ALLOW_PLAINTEXT alone.
      execute: [...(insecure ? [oidc.allowInsecureRequests] : []), oidc.enableNonRepudiationChecks],
    });
    client.timeout = TIMEOUT_SECONDS;
    const { jwks_uri } = client.serverMetadata();
    if (!jwks_uri) throw new Error('The provider names no keys.');
    const keys = createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: TIMEOUT_SECONDS * 1000,
      [customFetch]: boundedFetch,
    });
    return { provider, client, keys };
  } catch (error) {
    throw Object.assign(away(), { cause: error });
  }
}

/** Sends the secret as the provider's metadata wants it. `Basic` is what providers know that name nothing. */
function authenticationOf(secret: string | undefined): oidc.ClientAuth {
  if (!secret) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}
