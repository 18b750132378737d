import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, sameText, sameTime } from '../../../api/http/reading/fields.ts';
import { idsQuery, pageQuery } from '../../../api/http/reading/query.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import { ROLES } from '../../../kernel/words/rights.ts';
import { codeField, emailField, newPasswordField, personName } from '../../../api/person-fields.ts';

export const memberAnswer = z.strictObject({
  userId: idOf('user'),
  email: z.string().describe('Address that the person signs in with.'),
  name: z.string().describe('Name for people.'),
  role: z.enum(ROLES).describe('Says what the member may do.'),
  createdAt: time.describe('When the person became a member.'),
});
export type Member = z.output<typeof memberAnswer>;

export const listInvitationsQuery = pageQuery;
export type ListInvitations = z.output<typeof listInvitationsQuery>;

export const listMembersQuery = pageQuery.extend({ userIds: idsQuery('user').exactOptional() });
export type ListMembers = z.output<typeof listMembersQuery>;

export const memberChange = changeOf(
  { role: z.enum(ROLES).exactOptional() },
  { identity: { userId: sameText(), email: sameText(), name: sameText(), createdAt: sameTime() } },
);
export const updateMemberBody = memberChange.body;
export type UpdateMember = z.output<typeof updateMemberBody>;

export const handOverBody = fieldsOf({ userId: z.string().min(1) });
export type HandOverOwnership = z.output<typeof handOverBody>;

export const invitationAnswer = z.strictObject({
  id: idOf('invitation'),
  email: z.string().describe('Address of the one person who may accept it.'),
  role: z.enum(ROLES).describe('Role that it gives.'),
  invitedBy: z.string().describe('Id of the user who made it, or `command line`.'),
  createdAt: time.describe('When it was made.'),
  expiresAt: time.describe('Until when it can be accepted: 72 hours.'),
});
export type Invitation = z.output<typeof invitationAnswer>;

const link = z.string().describe('Link for that person, shown only now. The code stands behind `#code=`.');
const isMailed = z.boolean().describe('Whether the link was sent to its person by mail. Otherwise hand it over.');
export const newInvitationAnswer = invitationAnswer.extend({ link, isMailed });
export type NewInvitation = z.output<typeof newInvitationAnswer>;

export const createInvitationBody = fieldsOf({ email: emailField, role: z.enum(ROLES) });
export type CreateInvitation = z.output<typeof createInvitationBody>;

export const lookBody = fieldsOf({ code: codeField });
export type LookBody = z.output<typeof lookBody>;

/** An invitation as its code shows it. */
export const lookAnswer = z.strictObject({
  organisation: z
    .strictObject({ id: idOf('organisation'), name: z.string().describe('Name for people.') })
    .describe('Where the person is invited to.'),
  email: z.string().describe('Address of the one person who may accept it.'),
  role: z.enum(ROLES).describe('Role that it gives.'),
  expiresAt: time.describe('Until when it can be accepted.'),
  hasAccount: z.boolean().describe('Whether that person has an account already, whose password is then asked for.'),
});
export type Look = z.output<typeof lookAnswer>;

/**
 * Somebody new gives a name and a password that is to be. A person with an account gives its password, or is signed in with it in this
 * browser.
 */
export const acceptBody = fieldsOf(
  { code: codeField, name: personName.optional(), password: newPasswordField.min(1).optional() },
  { rules: { name: nameProblem } },
);
export type AcceptBody = z.output<typeof acceptBody>;

export const resetLinkAnswer = z.strictObject({
  link,
  isMailed,
  expiresAt: time.describe('Until when it works: 30 minutes.'),
});
export type ResetLink = z.output<typeof resetLinkAnswer>;
