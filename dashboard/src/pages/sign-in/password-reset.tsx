import { useState } from 'react';
import { api } from '../../api/client.ts';
import { codeOfLink } from '../../lib/code.ts';
import { Alone, AloneForm } from '../../parts/alone.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { isAtField, problemOf } from '../../parts/problem-of.ts';
import { TextField } from '../../ui/field.tsx';
import { PASSWORD_HINT, useEntering } from './use-entering.ts';

/** The page behind a password reset link. */
export function PasswordResetPage() {
  const [error, enter] = useEntering();
  const [password, setPassword] = useState('');
  return (
    <Alone title="New password" note="You'll be signed out everywhere.">
      <AloneForm
        go="Set new password"
        onSubmit={() => enter(() => api.user.resetPassword({ code: codeOfLink(), password }))}
      >
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint={PASSWORD_HINT}
          value={password}
          onChange={setPassword}
          error={problemOf(error, 'password')}
          isRequired
          hasFocus
        />
        {!isAtField(error, ['password']) && <FailureNote error={error} />}
      </AloneForm>
    </Alone>
  );
}
