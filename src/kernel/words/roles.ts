import { SCOPES, type Scope } from './scopes.ts';

/** Roles of people in an organisation, from the least to the most that they may do. */
export const ROLES = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The least role that has a scope: viewers read, developers build, admins hold what opens the door for others. */
const LEAST_ROLE: Readonly<Record<Scope, Role>> = {
  'channels:read': 'viewer',
  'channels:write': 'developer',
  'messages:read': 'viewer',
  'messages:write': 'developer',
  'subscriptions:read': 'viewer',
  'subscriptions:write': 'developer',
  'deliveries:read': 'viewer',
  'dlq:read': 'viewer',
  'dlq:write': 'developer',
  'credentials:write': 'admin',
  'apps:read': 'viewer',
  'apps:write': 'admin',
  'audit:read': 'admin',
  'workflows:read': 'viewer',
  'workflows:write': 'developer',
  'webhooks:read': 'viewer',
  'webhooks:write': 'developer',
};

/** Whether a role may do what takes at least another one. */
export const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

const scopesFor = (role: Role): ReadonlySet<Scope> =>
  new Set(SCOPES.filter((scope) => isAtLeast(role, LEAST_ROLE[scope])));

/** Rights of a role in every environment of its organisation. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  viewer: scopesFor('viewer'),
  developer: scopesFor('developer'),
  admin: scopesFor('admin'),
  owner: scopesFor('owner'),
};
