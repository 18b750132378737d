import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, isApiError } from '../../api/client.ts';
import { codeOfLink } from '../../lib/code.ts';
import { ROLE_NAMES } from '../../lib/role-words.ts';
import { Alone, AloneForm } from '../../parts/alone.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { isAtField, problemOf } from '../../parts/problem-of.ts';
import { Note } from '../../ui/callout.tsx';
import { TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { PASSWORD_HINT, useEntering } from './use-entering.ts';

/** The page behind an invitation link: joins an organisation, with a new account or the user's existing one. */
export function InvitationPage() {
  const [error, enter] = useEntering();
  const [form, setForm] = useState({ name: '', password: '' });
  const code = codeOfLink();
  const look = useQuery({ queryKey: ['invitation'], queryFn: () => api.invitations.preview({ code }), retry: false });
  if (look.data === undefined)
    return (
      <Alone title="Invitation">
        {isApiError(look.error) ? (
          <Note kind="error">This invitation has expired or was already used. Ask for a new one.</Note>
        ) : look.isError ? (
          <FailureNote error={look.error} onRetry={() => void look.refetch()} />
        ) : (
          <Skeleton />
        )}
      </Alone>
    );
  const { organisation, email, role, hasAccount } = look.data;
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
    error: problemOf(error, name),
  });
  return (
    <Alone title={`Join ${organisation.name}`} note={`${ROLE_NAMES[role]} · ${email}`}>
      <AloneForm
        go="Accept invitation"
        onSubmit={() =>
          enter(() =>
            api.invitations.accept({ code, password: form.password, ...(!hasAccount && { name: form.name }) }),
          )
        }
      >
        {!hasAccount && <TextField label="Name" autoComplete="name" {...field('name')} isRequired hasFocus />}
        <TextField
          label="Password"
          type="password"
          autoComplete={hasAccount ? 'current-password' : 'new-password'}
          hint={hasAccount ? 'Your Posthorn password' : PASSWORD_HINT}
          {...field('password')}
          isRequired
          hasFocus={hasAccount}
        />
        {!isAtField(error, Object.keys(form)) && <FailureNote error={error} />}
      </AloneForm>
    </Alone>
  );
}
