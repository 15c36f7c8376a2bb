import { type AuditAction, auditActionNames, lookActions } from './actions.js';

/** The groups of actions by which people filter the log. An action may be in none. */
export const auditGroups = ['looks', 'shares', 'signIns', 'administration'] as const;
export type AuditGroup = (typeof auditGroups)[number];

const areas: Record<Exclude<AuditGroup, 'looks'>, readonly string[]> = {
  shares: ['share', 'emergency', 'carer'],
  signIns: ['auth', 'session', 'totp', 'passkey', 'token', 'signOn'],
  administration: ['user', 'role', 'setting', 'audit', 'access', 'job', 'dicomNode', 'scim'],
};

/** Reads of lists and logs: many, and of no single record. The log shows them only when asked. */
export const listActions = auditActionNames.filter((name) =>
  /\.(list|listed|timeline|use)$|^(stats|overview)\.read$/.test(name),
);

const isListed = (name: AuditAction) => !listActions.includes(name);

/** Returns the actions of a group. */
export const actionsIn = (group: AuditGroup): AuditAction[] =>
  group === 'looks'
    ? [...lookActions]
    : auditActionNames.filter((name) => areas[group].includes(name.split('.')[0] ?? '') && isListed(name));
