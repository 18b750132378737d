import { z } from 'zod';
import { changeOf, fieldsOf, sameText } from '../../../api/http/reading/fields.ts';
import { codeField, emailField, newPasswordField, passwordField, personName } from '../../../api/person-fields.ts';
import { nameProblem } from '../../../kernel/values/text.ts';

const rules = { name: nameProblem };

/** A name for the first organisation or its first app, which `posthorn start` has called "Default". */
const placeName = z.string().min(1).max(200).exactOptional();

export const setupBody = fieldsOf(
  {
    code: codeField.describe('Code of the link: what stands behind `#code=`.'),
    email: emailField.describe('E-mail address.'),
    name: personName.describe('Name for people.'),
    password: newPasswordField.describe('Password that is to be, 12 characters at least.'),
    organisation: placeName.describe('Name of the first organisation, which is "Default" otherwise.'),
    app: placeName.describe('Name of its app, which is "Default" otherwise.'),
  },
  { rules: { ...rules, organisation: nameProblem, app: nameProblem } },
).meta({ typeName: 'Setup' });
export type SetupBody = z.output<typeof setupBody>;

/** A person changes the name alone: by the address invitations and identity providers know who it is. */
export const userChange = changeOf(
  { name: personName.exactOptional().describe('Name for people.') },
  { identity: { id: sameText(), email: sameText() }, rules },
);
export const renameUserBody = userChange.body.meta({ typeName: 'RenameUser' });
export type RenameUser = z.output<typeof renameUserBody>;

export const changePasswordBody = fieldsOf({
  password: passwordField.describe('Password of the account.'),
  newPassword: newPasswordField.describe('Password that is to be, 12 characters at least.'),
}).meta({ typeName: 'ChangePassword' });
export type ChangePasswordBody = z.output<typeof changePasswordBody>;

export const resetPasswordBody = fieldsOf({
  code: codeField.describe('Code of the link: what stands behind `#code=`.'),
  password: newPasswordField.describe('Password that is to be, 12 characters at least.'),
}).meta({ typeName: 'ResetPassword' });
export type ResetPasswordBody = z.output<typeof resetPasswordBody>;
