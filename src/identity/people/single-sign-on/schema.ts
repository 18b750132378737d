import { z } from 'zod';
import { parseUrl } from '../../../kernel/values/http.ts';
import { fieldsOf } from '../../../api/http/reading/fields.ts';

/**
 * A path of the dashboard that begins with exactly one slash, so that a made-up link leads to no other site.
 */
const returnTo = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[\x21\x22\x24-\x5b\x5d-\x7e]*$/, 'must be a path of the dashboard, such as /messages')
  // Steps upwards, in any spelling, would lead out of the dashboard.
  .refine(
    (path) => parseUrl(`https://x${path}`)?.pathname === path.replace(/\?.*/, ''),
    'must be a path of the dashboard, such as /messages',
  );

export const startSingleSignOnBody = fieldsOf({
  returnTo: returnTo.optional().describe('Path of the dashboard where the browser comes back.'),
}).meta({ typeName: 'StartSingleSignOn' });
export type StartSingleSignOn = z.output<typeof startSingleSignOnBody>;

export const singleSignOnAnswer = z
  .strictObject({
    url: z.string().describe('Page of the identity provider: send the browser there within 10 minutes.'),
  })
  .meta({ typeName: 'SingleSignOn' });
export type Start = z.output<typeof singleSignOnAnswer>;

export const signInWaysAnswer = z
  .strictObject({
    password: z
      .enum(['everyone', 'owners'])
      .describe(
        'Who may sign in by password: owners of the first organisation alone where the operator wants single sign-on.',
      ),
    singleSignOn: z
      .strictObject({ name: z.string().describe('Name of it for people.') })
      .exactOptional()
      .describe('Absent where the operator has no identity provider.'),
  })
  .meta({ typeName: 'SignInWays' });
export type Ways = z.output<typeof signInWaysAnswer>;

/** Reasons why the page that the browser is sent back to has `#problem=` in its address. */
const PROBLEMS = [
  'denied',
  'invalid',
  'unreachable',
  'expired',
  'not_set_up',
  'not_invited',
  'address_not_verified',
  'linked_otherwise',
  'other_person',
] as const;
export type SignOnProblem = (typeof PROBLEMS)[number];
