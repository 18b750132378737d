import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { isAtField, problemOf } from '../../parts/problem-of.ts';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { PASSWORD_HINT } from '../sign-in/use-entering.ts';

export function ChangePassword({ email, onClose }: { email: string; onClose: () => void }) {
  const { act } = useActs();
  const [form, setForm] = useState({ password: '', newPassword: '' });
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form) => ({
    type: 'password',
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
    error: problemOf(error, name),
    isRequired: true,
  });
  return (
    <Dialog
      title="Change password"
      description="You'll be signed out in all other browsers."
      onClose={onClose}
      onSubmit={() => {
        setError(undefined);
        void act(
          async () => {
            await api.user.changePassword(form);
            onClose();
          },
          { told: 'Password changed', onFailure: setError },
        );
      }}
      actions={<DialogButtons go="Change password" onCancel={onClose} />}
    >
      {/* Tells password managers whose password it is. */}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <TextField label="Current password" autoComplete="current-password" {...field('password')} hasFocus />
      <TextField label="New password" autoComplete="new-password" hint={PASSWORD_HINT} {...field('newPassword')} />
      {!isAtField(error, Object.keys(form)) && <FailureNote error={error} />}
    </Dialog>
  );
}
