import type { Role } from '../api/client.ts';

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  developer: 'Developer',
  admin: 'Admin',
  owner: 'Owner',
};

/** Returns what a role allows, as one line of help. */
export const ROLE_HINTS: Readonly<Record<Role, string>> = {
  viewer: 'Sees traffic, routing, workflows and members. No credentials, secrets or audit log.',
  developer: 'Everything a viewer sees; publishes, replays, and changes channels, subscriptions and workflows',
  admin: 'Everything a developer does; manages credentials, secrets and members, and reads the audit log',
  owner: 'Everything an admin does; makes other people owners and resets their passwords',
};
