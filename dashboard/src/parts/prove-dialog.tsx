import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SignedIn } from '../api/client.ts';
import { atWorkOf } from '../lib/at-work.ts';
import { passkeyFor } from '../lib/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FailureNote } from './failure-note.tsx';

/** Asks the signed-in user to verify the session again, by password or passkey. */
export function ProveDialog({ onEnd }: { onEnd: (isProven: boolean) => void }) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const prove = async (how: () => Promise<SignedIn>): Promise<void> => {
    try {
      // Pages show when the session must be verified again, so refetch it.
      client.setQueryData(['session'], await atWorkOf(how));
      onEnd(true);
    } catch (failure) {
      setError(failure);
    }
  };
  const byPasskey = async (): Promise<SignedIn> =>
    api.session.authenticate({ passkey: await passkeyFor(await api.session.requestPasskey()) });
  return (
    <Dialog
      title="Confirm your identity"
      description="For your security, confirm your password or passkey. You won't be asked again for 10 minutes."
      onClose={() => onEnd(false)}
      onSubmit={() => void prove(() => api.session.authenticate({ password }))}
      actions={
        <>
          <Button onClick={() => onEnd(false)}>Cancel</Button>
          <Button onClick={() => void prove(byPasskey)}>Use passkey</Button>
          <Button look="primary" type="submit">
            Confirm
          </Button>
        </>
      }
    >
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        hasFocus
      />
      <FailureNote error={error} />
    </Dialog>
  );
}
