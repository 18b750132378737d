import { z } from 'zod';
import { SECRET } from './connector.ts';

/** Why a GraphQL service refuses, which it says beside the status 200. */
export function graphQlRefusal(body: unknown): string | undefined {
  const { errors } = (body ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  // `as`: the specification of GraphQL says so of an error (§7.1.2); anything else is shown as undefined.
  const { message } = (errors[0] ?? {}) as { message?: unknown };
  return String(message);
}

/*
 * Fields of parameters and of credentials. Each has a description, which the API shows.
 */

export const text = (description: string) => z.string().min(1).describe(description);
export const texts = (description: string) => z.array(z.string().min(1)).min(1).describe(description);
export const textOrTexts = (description: string) =>
  z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).describe(description);
export const whole = (description: string) => z.int().describe(description);
export const flag = (description: string) => z.boolean().describe(description);
export const oneOf = <T extends string>(choices: readonly [T, ...T[]], description: string) =>
  z.enum(choices).describe(description);
export const object = (description: string) => z.record(z.string(), z.unknown()).describe(description);
export const objects = (description: string) => z.array(z.record(z.string(), z.unknown())).describe(description);

/** Sealed as a credential; as a parameter the place of `{{ secrets.NAME }}`. */
export const secret = (description: string) => z.string().min(1).max(8_192).meta(SECRET).describe(description);
/** An address that is a secret by itself: who has it may send to it. */
export const secretUrl = (description: string) =>
  z
    .url({ protocol: /^https?$/ })
    .meta(SECRET)
    .describe(description);
/** One label of a host name, so that no credential leads to another host. */
export const label = (description: string) =>
  z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i, 'must be one label of a host name')
    .describe(description);

/** The client that the operator has registered at an OAuth 2.0 provider. */
export const client = {
  clientId: text('Id of the client that you have registered at the provider.'),
  clientSecret: secret('Its secret.'),
};
