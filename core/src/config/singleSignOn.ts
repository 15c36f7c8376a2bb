import { roles } from '@lightbox/contract/permissions.js';
import { z } from 'zod';

const names = z.array(z.string().min(1).max(200)).max(50).default([]);

const Provider = z
  .strictObject({
    /** Its name in addresses, and in the records of linked accounts: do not change it. */
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'must be lower-case letters, digits and dashes'),
    /** Its name on the button. */
    name: z.string().trim().min(1).max(60),
    issuer: z.url({ protocol: /^https?$/, error: 'must be an address' }),
    clientId: z.string().min(1).max(300),
    /** Absent for a public client, which has PKCE alone. */
    clientSecret: z.string().min(1).max(1000).optional(),
    scopes: z
      .string()
      .max(300)
      .regex(/(^| )openid( |$)/, 'must contain openid')
      .default('openid email profile'),
    /** The claim that says that the provider has checked the e-mail address. Entra ID calls it `xms_edov`. */
    emailVerifiedClaim: z.string().min(1).max(100).default('email_verified'),
    /** A first sign-in is linked to the account with the same verified address. */
    linkByEmail: z.boolean().default(false),
    /** A first sign-in makes an account. */
    signUp: z.boolean().default(true),
    /** New providers wait for an administrator. */
    approve: z.boolean().default(true),
    /** The claim whose values `roles` maps. Without it, accounts keep their role. */
    roleClaim: z.string().min(1).max(100).optional(),
    roles: z.record(z.string().max(300), z.enum(roles)).default({}),
    /** The role of people whose claim names none. Without it, they may not sign in. */
    defaultRole: z.enum(['patient', 'healthProvider']).optional(),
    /** `roles` may make administrators. */
    allowAdmin: z.boolean().default(false),
    /** Values of `amr` or `acr` by which the sign-in at the provider counts as a second factor. */
    secondFactor: z.strictObject({ amr: names, acr: names }).default({ amr: [], acr: [] }),
  })
  .superRefine(({ allowAdmin, roles: mapped, roleClaim, defaultRole, signUp }, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (!allowAdmin && Object.values(mapped).includes('admin')) {
      fault('roles', 'names admin, which needs "allowAdmin": true');
    }
    if (!roleClaim && Object.keys(mapped).length > 0) fault('roleClaim', 'is missing next to roles');
    if (signUp && !roleClaim && !defaultRole) {
      fault('defaultRole', 'is missing: new accounts need a role, or "signUp": false');
    }
  });

/** A provider of single sign-on (OpenID Connect). */
export type SignOnProvider = z.output<typeof Provider>;

const Providers = z.array(Provider).max(10);

/** Reads the list; the second value is its first fault, in words. */
function parse(value: string): [SignOnProvider[], string | null] {
  let json: unknown;
  try {
    json = JSON.parse(value);
  } catch {
    return [[], 'must be a JSON list of providers'];
  }
  const { data = [], error } = Providers.safeParse(json);
  const [issue] = error?.issues ?? [];
  // Never the value itself: it may be the secret.
  if (issue) return [[], `is refused at ${issue.path.join('.') || 'its top'}: ${issue.message}`];
  for (const field of ['id', 'issuer'] as const) {
    if (new Set(data.map((one) => one[field])).size < data.length) return [[], `names an ${field} twice`];
  }
  return [data, null];
}

/** The setting of single sign-on. It holds secrets. */
export const signOnSettings = {
  OIDC_PROVIDERS: z
    .string()
    .superRefine((value, context) => {
      const [, message] = parse(value);
      if (message) context.addIssue({ code: 'custom', message });
    })
    .optional(),
};

/** Returns the providers; none for a value with a fault. */
export const signOnProvidersOf = (value: string | undefined): SignOnProvider[] =>
  value === undefined ? [] : parse(value)[0];
