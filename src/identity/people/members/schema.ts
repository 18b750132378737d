import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, sameText, sameTime } from '../../../api/http/reading/fields.ts';
import { idsQuery, pageQuery } from '../../../api/http/reading/query.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import { ROLES } from '../../../kernel/words/rights.ts';
import { codeField, emailField, newPasswordField, personName } from '../../../api/person-fields.ts';

export const memberAnswer = z
  .strictObject({
    userId: idOf('user'),
    email: z.string().describe('Address that the person signs in with.'),
    name: z.string().describe('Name for people.'),
    role: z.enum(ROLES).describe('Says what the member may do.'),
    createdAt: time.describe('When the person became a member.'),
  })
  .meta({ typeName: 'Member' });
export type Member = z.output<typeof memberAnswer>;

export const listInvitationsQuery = pageQuery.meta({ typeName: 'PageQuery' });
export type ListInvitations = z.output<typeof listInvitationsQuery>;

export const listMembersQuery = pageQuery
  .extend({
    userIds: idsQuery('user').exactOptional().describe('Only these: up to 100 ids of people, separated by commas.'),
  })
  .meta({ typeName: 'ListMembers' });
export type ListMembers = z.output<typeof listMembersQuery>;

export const memberChange = changeOf(
  { role: z.enum(ROLES).exactOptional().describe('Says what the member may do.') },
  { identity: { userId: sameText(), email: sameText(), name: sameText(), createdAt: sameTime() } },
);
export const updateMemberBody = memberChange.body.meta({ typeName: 'UpdateMember' });
export type UpdateMember = z.output<typeof updateMemberBody>;

export const transferOwnershipBody = fieldsOf({
  userId: z.string().min(1).describe('Member who becomes the owner.'),
}).meta({
  typeName: 'TransferOwnership',
});
export type TransferOwnership = z.output<typeof transferOwnershipBody>;

export const invitationAnswer = z
  .strictObject({
    id: idOf('invitation'),
    email: z.string().describe('Address of the one person who may accept it.'),
    role: z.enum(ROLES).describe('Role that it gives.'),
    invitedBy: z.string().describe('Id of the user who made it, or `command line`.'),
    createdAt: time.describe('When it was made.'),
    expiresAt: time.describe('Until when it can be accepted: 72 hours.'),
  })
  .meta({ typeName: 'Invitation' });
export type Invitation = z.output<typeof invitationAnswer>;

const link = z.string().describe('Link for that person, shown only now. The code stands behind `#code=`.');
const isMailed = z.boolean().describe('Whether the link was sent to its person by mail. Otherwise hand it over.');
export const newInvitationAnswer = invitationAnswer.extend({ link, isMailed }).meta({ typeName: 'NewInvitation' });
export type NewInvitation = z.output<typeof newInvitationAnswer>;

export const createInvitationBody = fieldsOf({
  email: emailField.describe('E-mail address.'),
  role: z.enum(ROLES).describe('Says what the member may do.'),
}).meta({ typeName: 'CreateInvitation' });
export type CreateInvitation = z.output<typeof createInvitationBody>;

export const previewInvitationBody = fieldsOf({
  code: codeField.describe('Code of the link: what stands behind `#code=`.'),
}).meta({
  typeName: 'PreviewInvitation',
});
export type PreviewInvitation = z.output<typeof previewInvitationBody>;

/** An invitation as its code shows it. */
export const invitationPreviewAnswer = z
  .strictObject({
    organisation: z
      .strictObject({ id: idOf('organisation'), name: z.string().describe('Name for people.') })
      .describe('Where the person is invited to.'),
    email: z.string().describe('Address of the one person who may accept it.'),
    role: z.enum(ROLES).describe('Role that it gives.'),
    expiresAt: time.describe('Until when it can be accepted.'),
    hasAccount: z.boolean().describe('Whether that person has an account already, whose password is then asked for.'),
  })
  .meta({ typeName: 'InvitationPreview' });
export type InvitationPreview = z.output<typeof invitationPreviewAnswer>;

/**
 * Somebody new gives a name and a password that is to be. A person with an account gives its password, or is signed in with it in this
 * browser.
 */
export const acceptBody = fieldsOf(
  {
    code: codeField.describe('Code of the link: what stands behind `#code=`.'),
    name: personName.optional().describe('Name for people.'),
    password: newPasswordField
      .min(1)
      .optional()
      .describe('Password that is to be, or that of the account which the person has.'),
  },
  { rules: { name: nameProblem } },
).meta({ typeName: 'AcceptInvitation' });
export type AcceptBody = z.output<typeof acceptBody>;

export const resetLinkAnswer = z
  .strictObject({
    link,
    isMailed,
    expiresAt: time.describe('Until when it works: 30 minutes.'),
  })
  .meta({ typeName: 'ResetLink' });
export type ResetLink = z.output<typeof resetLinkAnswer>;
