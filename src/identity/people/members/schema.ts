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
    email: z.string().describe('Email address that the user signs in with.'),
    name: z.string().describe('Display name.'),
    role: z.enum(ROLES).describe('Determines what the member may do.'),
    createdAt: time.describe('When the user became a member.'),
  })
  .meta({ typeName: 'Member' });
export type Member = z.output<typeof memberAnswer>;

export const listInvitationsQuery = pageQuery.meta({ typeName: 'PageQuery' });
export type ListInvitations = z.output<typeof listInvitationsQuery>;

export const listMembersQuery = pageQuery
  .extend({
    userIds: idsQuery('user').exactOptional().describe('Only these members: up to 100 user ids, separated by commas.'),
  })
  .meta({ typeName: 'ListMembers' });
export type ListMembers = z.output<typeof listMembersQuery>;

export const memberChange = changeOf(
  { role: z.enum(ROLES).exactOptional().describe('Determines what the member may do.') },
  { identity: { userId: sameText(), email: sameText(), name: sameText(), createdAt: sameTime() } },
);
export const updateMemberBody = memberChange.body.meta({ typeName: 'UpdateMember' });
export type UpdateMember = z.output<typeof updateMemberBody>;

export const transferOwnershipBody = fieldsOf({
  userId: z.string().min(1).describe('User id of the member who becomes the owner.'),
}).meta({
  typeName: 'TransferOwnership',
});
export type TransferOwnership = z.output<typeof transferOwnershipBody>;

export const invitationAnswer = z
  .strictObject({
    id: idOf('invitation'),
    email: z.string().describe('Email address of the only person who can accept it.'),
    role: z.enum(ROLES).describe('Role that the new member will have.'),
    invitedBy: z.string().describe('Id of the user who created it, or `command line`.'),
    createdAt: time.describe('When it was created.'),
    expiresAt: time.describe('When it expires: 72 hours after it was created.'),
  })
  .meta({ typeName: 'Invitation' });
export type Invitation = z.output<typeof invitationAnswer>;

const link = z.string().describe('Link for the recipient, shown only once. Its code comes after `#code=`.');
const isMailed = z.boolean().describe('Whether the link was emailed to the recipient. If not, pass it on yourself.');
export const newInvitationAnswer = invitationAnswer.extend({ link, isMailed }).meta({ typeName: 'NewInvitation' });
export type NewInvitation = z.output<typeof newInvitationAnswer>;

export const createInvitationBody = fieldsOf({
  email: emailField.describe('Email address.'),
  role: z.enum(ROLES).describe('Determines what the member may do.'),
}).meta({ typeName: 'CreateInvitation' });
export type CreateInvitation = z.output<typeof createInvitationBody>;

export const previewInvitationBody = fieldsOf({
  code: codeField.describe('Code of the link (the part after `#code=`).'),
}).meta({
  typeName: 'PreviewInvitation',
});
export type PreviewInvitation = z.output<typeof previewInvitationBody>;

/** An invitation as shown to whoever has its code. */
export const invitationPreviewAnswer = z
  .strictObject({
    organisation: z
      .strictObject({ id: idOf('organisation'), name: z.string().describe('Display name.') })
      .describe('Organisation of the invitation.'),
    email: z.string().describe('Email address of the only person who can accept it.'),
    role: z.enum(ROLES).describe('Role that the new member will have.'),
    expiresAt: time.describe('When it expires.'),
    hasAccount: z
      .boolean()
      .describe('Whether the invited person already has an account, whose password is then required.'),
  })
  .meta({ typeName: 'InvitationPreview' });
export type InvitationPreview = z.output<typeof invitationPreviewAnswer>;

/**
 * A new user gives a name and a new password. A user with an account gives its password or is already signed in in this
 * browser.
 */
export const acceptBody = fieldsOf(
  {
    code: codeField.describe('Code of the link (the part after `#code=`).'),
    name: personName.optional().describe('Display name.'),
    password: newPasswordField
      .min(1)
      .optional()
      .describe('Password for a new account (at least 12 characters), or the password of the existing account.'),
  },
  { rules: { name: nameProblem } },
).meta({ typeName: 'AcceptInvitation' });
export type AcceptBody = z.output<typeof acceptBody>;

export const resetLinkAnswer = z
  .strictObject({
    link,
    isMailed,
    expiresAt: time.describe('When it expires: after 30 minutes.'),
  })
  .meta({ typeName: 'ResetLink' });
export type ResetLink = z.output<typeof resetLinkAnswer>;
