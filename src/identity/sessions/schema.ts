import { z } from 'zod';
import { idOf, time } from '../../http/answer-fields.ts';
import { pageQuery } from '../../http/query.ts';
import { ROLES } from '../roles.ts';

export const sessionAnswer = z.strictObject({
  id: idOf('session'),
  isCurrent: z.boolean().describe('Whether this request came with it.'),
  createdAt: time.describe('When the person signed in.'),
  authenticatedAt: time.describe(
    'When the person last proved who they are. Dangerous requests want that within 10 minutes.',
  ),
  lastUsedAt: time.describe('When it was last used, to the minute. After 12 hours without use it ends.'),
  expiresAt: time.describe('When it ends in any case: 7 days after it began.'),
  address: z.string().describe('Network address that it was begun from.'),
  userAgent: z.string().exactOptional().describe('Browser that it was begun with, as that browser says.'),
});
export type Session = z.output<typeof sessionAnswer>;

export const userAnswer = z.strictObject({
  id: idOf('user'),
  email: z.string().describe('Address to sign in with, in lower case.'),
  name: z.string().describe('Name for people.'),
});

/** Who is signed in, and where that person may act. */
export const signedInAnswer = z.strictObject({
  user: userAnswer.describe('The person.'),
  session: sessionAnswer.describe('The session of this request.'),
  organisations: z
    .array(
      z.strictObject({
        id: idOf('organisation'),
        name: z.string().describe('Name for people.'),
        role: z.enum(ROLES).describe('Says what the person may do there.'),
        apps: z
          .array(
            z.strictObject({
              id: idOf('app'),
              name: z.string().describe('Name for people.'),
              slug: z.string().describe('Name in addresses, unique in its organisation.'),
            }),
          )
          .describe('Apps whose environments a request may name.'),
      }),
    )
    .describe('Organisations that the person is a member of.'),
});
export type SignedIn = z.output<typeof signedInAnswer>;

export const listSessionsQuery = pageQuery;
export type ListSessions = z.output<typeof listSessionsQuery>;

export const revokedAnswer = z.strictObject({
  revoked: z.int().min(0).describe('How many sessions were ended.'),
});
