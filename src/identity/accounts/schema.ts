import type { z } from 'zod';
import { fieldsOf } from '../../http/fields.ts';
import { codeField, emailField, newPasswordField, passwordField, personName } from '../person-fields.ts';
import { controlCharacterProblem } from '../../kernel/plain-text.ts';

const rules = { name: controlCharacterProblem };

export const setupBody = fieldsOf(
  { code: codeField, email: emailField, name: personName, password: newPasswordField },
  { rules },
);
export type SetupBody = z.output<typeof setupBody>;

export const changePasswordBody = fieldsOf({ password: passwordField, newPassword: newPasswordField });
export type ChangePasswordBody = z.output<typeof changePasswordBody>;

export const resetPasswordBody = fieldsOf({ code: codeField, password: newPasswordField });
export type ResetPasswordBody = z.output<typeof resetPasswordBody>;
