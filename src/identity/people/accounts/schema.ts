import { z } from 'zod';
import { changeOf, fieldsOf, sameText } from '../../../api/http/reading/fields.ts';
import { codeField, emailField, newPasswordField, passwordField, personName } from '../../../api/person-fields.ts';
import { nameProblem } from '../../../kernel/values/text.ts';

const rules = { name: nameProblem };

/** A name for the first organisation or its first app, which `posthorn start` creates as "Default". */
const placeName = z.string().min(1).max(200).exactOptional();

export const setupBody = fieldsOf(
  {
    code: codeField.describe('Code of the link (the part after `#code=`).'),
    email: emailField.describe('Email address.'),
    name: personName.describe('Display name.'),
    password: newPasswordField.describe('New password, at least 12 characters.'),
    organisation: placeName.describe('Name of the first organisation. Default: "Default".'),
    app: placeName.describe('Name of its app. Default: "Default".'),
  },
  { rules: { ...rules, organisation: nameProblem, app: nameProblem } },
).meta({ typeName: 'Setup' });
export type SetupBody = z.output<typeof setupBody>;

/** Users can change only their name: invitations and identity providers identify them by their email address. */
export const userChange = changeOf(
  { name: personName.exactOptional().describe('Display name.') },
  { identity: { id: sameText(), email: sameText() }, rules },
);
export const renameUserBody = userChange.body.meta({ typeName: 'RenameUser' });
export type RenameUser = z.output<typeof renameUserBody>;

export const changePasswordBody = fieldsOf({
  password: passwordField.describe('Password of the account.'),
  newPassword: newPasswordField.describe('New password, at least 12 characters.'),
}).meta({ typeName: 'ChangePassword' });
export type ChangePasswordBody = z.output<typeof changePasswordBody>;

export const resetPasswordBody = fieldsOf({
  code: codeField.describe('Code of the link (the part after `#code=`).'),
  password: newPasswordField.describe('New password, at least 12 characters.'),
}).meta({ typeName: 'ResetPassword' });
export type ResetPasswordBody = z.output<typeof resetPasswordBody>;
