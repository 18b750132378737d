import { z } from 'zod';
import type { InboundRequest } from './incoming.ts';
import type { VerifiedSignature } from './schemes/scheme.ts';

/** A refused request as it is kept. `proven` is what its signature has proven, which is not asked again. */
export type KeptRequest = {
  target: string;
  /** Name and value, in their order. */
  headers: readonly (readonly [name: string, value: string])[];
  proven: VerifiedSignature;
  body: Buffer;
  readJson: InboundRequest['readJson'];
};

/** Headers that prove who asks at some proxy in front. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'dpop']);

/**
 * What is kept beside the body, as JSON text: target, what was proven, and the headers, which mappings read. Credentials are left out, and
 * so is any header with a secret of the webhook in it: some services send theirs as it is.
 */
export function keptHeadOf(
  { target, rawHeaders = [] }: InboundRequest,
  proven: VerifiedSignature,
  secrets: readonly string[],
): string {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]];
    if (!CREDENTIALS.has(name) && !secrets.some((secret) => value.includes(secret))) headers.push([name, value]);
  }
  return JSON.stringify({ target, headers, proven });
}

const head = z.object({
  target: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  proven: z.object({ replayKey: z.string().exactOptional() }),
});

/** The inverse of `keptHeadOf`. */
export const readKeptHead = (text: string): Pick<KeptRequest, 'target' | 'headers' | 'proven'> =>
  head.parse(JSON.parse(text));

/** The request as it came, but for what is not kept of it. */
export function keptRequestOf({ target, headers, body, readJson }: KeptRequest): InboundRequest {
  const values = (name: string): string[] => headers.flatMap(([each, value]) => (each === name ? [value] : []));
  return { target, header: values, bytes: body, readJson, address: '' };
}
