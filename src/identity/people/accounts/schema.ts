import { z } from 'zod';
import { changeOf, fieldsOf, sameText } from '../../../api/http/reading/fields.ts';
import { codeField, emailField, newPasswordField, passwordField, personName } from '../../../api/person-fields.ts';
import { nameProblem } from '../../../kernel/values/text.ts';

const rules = { name: nameProblem };

/** A name for the first organisation or its first app, which `posthorn start` has called "Default". */
const placeName = z.string().min(1).max(200).exactOptional();

export const setupBody = fieldsOf(
  {
    code: codeField,
    email: emailField,
    name: personName,
    password: newPasswordField,
    organisation: placeName,
    app: placeName,
  },
  { rules: { ...rules, organisation: nameProblem, app: nameProblem } },
);
export type SetupBody = z.output<typeof setupBody>;

/** A person changes the name alone: by the address invitations and identity providers know who it is. */
export const userChange = changeOf(
  { name: personName.exactOptional() },
  { identity: { id: sameText(), email: sameText() }, rules },
);
export const renameUserBody = userChange.body;
export type RenameUser = z.output<typeof renameUserBody>;

export const changePasswordBody = fieldsOf({ password: passwordField, newPassword: newPasswordField });
export type ChangePasswordBody = z.output<typeof changePasswordBody>;

export const resetPasswordBody = fieldsOf({ code: codeField, password: newPasswordField });
export type ResetPasswordBody = z.output<typeof resetPasswordBody>;
