import { z } from 'zod';
import { hasControlCharacter } from '../../kernel/values/text.ts';

/** A name of a header. */
export const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_|~-]{1,64}$/, 'must be the name of a header');
/** HTTP sets these itself, whoever sends. */
const HTTP_ITSELF: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
]);
const proofHeader = headerName.refine(
  (header) => !HTTP_ITSELF.has(header.toLowerCase()),
  'is a header that HTTP itself sets: it proves nothing of the sender',
);
/** A text that can be seen as it is. */
export const visible = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !hasControlCharacter(text), 'must not contain control characters');

/** How requests are signed, with the schemes `hmac` and `token`. */
export const signatureShape = {
  header: proofHeader.describe('Header with the signature, or with the secret itself.'),
  prefix: visible(64).exactOptional().describe('Text in front of the signature, such as `sha256=`.'),
  algorithm: z.enum(['sha1', 'sha256', 'sha512']).exactOptional().describe('Hash of the HMAC. Default sha256.'),
  encoding: z.enum(['hex', 'base64']).exactOptional().describe('Form of the signature. Default hex.'),
  timestampHeader: headerName.exactOptional().describe('Header with the signed time.'),
  timestampUnit: z
    .enum(['seconds', 'milliseconds', 'iso8601'])
    .exactOptional()
    .describe('Form of the signed time. Default seconds.'),
  toleranceSeconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .exactOptional()
    .describe('Seconds by which the signed time may differ from ours. Default 300.'),
  idHeader: headerName.exactOptional().describe('Header that stands for `{id}` in the template.'),
  template: visible(256)
    .refine((text) => text.includes('{body}'), 'must contain {body}')
    .exactOptional()
    .describe(
      'Signed text, of `{timestamp}`, `{id}`, `{url}`, `{body}`. Default `{body}`, with a time `{timestamp}.{body}`.',
    ),
};
export const signatureSettings = z.strictObject(signatureShape);
export type SignatureSettings = z.output<typeof signatureSettings>;
