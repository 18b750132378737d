import { z } from 'zod';
import { SECRET } from './connector.ts';

/** Returns why a GraphQL service refused a request, which it reports with status 200. */
export function graphQlRefusal(body: unknown): string | undefined {
  const { errors } = (body ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  // `as`: the type of an error in the GraphQL specification (§7.1.2); anything else is shown as undefined.
  const { message } = (errors[0] ?? {}) as { message?: unknown };
  return String(message);
}

// Fields of parameters and credentials. The API shows their descriptions.

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

/** A secret: encrypted as a credential, and `{{ secrets.NAME }}` as a parameter. */
export const secret = (description: string) => z.string().min(1).max(8_192).meta(SECRET).describe(description);
/** A URL that is itself a secret: anyone who has it can send to it. */
export const secretUrl = (description: string) =>
  z
    .url({ protocol: /^https?$/ })
    .meta(SECRET)
    .describe(description);
/** One label of a host name, so that a credential cannot lead to another host. */
export const label = (description: string) =>
  z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i, 'must be one label of a host name')
    .describe(description);

/** The client that the operator has registered at an OAuth 2.0 provider. */
export const client = {
  clientId: text('Id of the client that you registered at the provider.'),
  clientSecret: secret('Secret of the client.'),
};
