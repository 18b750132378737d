import type { ApiKey, MachineCredential, Scope } from '../../api/client.ts';
import type { Tone } from '../../ui/status.tsx';

export type Kind = 'api-keys' | 'machine-credentials';
export type AnyCredential = ApiKey | MachineCredential;

/** A secret to be shown once: an API key, or a client with its secret. */
export type Shown = { kind: Kind; id: string; secret: string; scopes: readonly Scope[] };

export const WORDS = {
  'api-keys': { title: 'API keys', one: 'API key', create: 'Create API key', none: 'No API keys yet' },
  'machine-credentials': {
    title: 'Machine credentials',
    one: 'Machine credential',
    create: 'Create machine credential',
    none: 'No machine credentials yet',
  },
} as const;

export const CREDENTIAL_STATES: Readonly<Record<AnyCredential['status'], { tone: Tone; word: string }>> = {
  active: { tone: 'delivered', word: 'Active' },
  expired: { tone: 'pending', word: 'Expired' },
  revoked: { tone: 'cancelled', word: 'Revoked' },
};

/** The part of a key that stays visible afterwards. */
export const shortKey = ({ prefix, last4 }: Pick<ApiKey, 'prefix' | 'last4'>): string => `${prefix}…${last4}`;
