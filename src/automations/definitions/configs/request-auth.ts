import { z } from 'zod';
import { template } from './fields.ts';

/** A request's own way to prove who sends it: the header Authorization. Its texts may be secrets. */
export const requestAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), username: template, password: template }),
  z.strictObject({ type: z.literal('bearer'), token: template }),
]);

/** Why `auth` cannot stand beside these headers. */
export const authProblem = ({ auth, headers }: { auth?: unknown; headers: object }): string | undefined =>
  auth !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
    ? 'must be left out beside the header Authorization'
    : undefined;
