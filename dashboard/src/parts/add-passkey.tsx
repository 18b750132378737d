import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { newPasskey } from '../lib/passkeys.ts';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { useActs } from './acts.tsx';
import { FailureNote } from './failure-note.tsx';
import { problemOf } from './problem-of.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Whether this browser supports passkeys at all. */
export const canHavePasskeys = (): boolean => typeof PublicKeyCredential !== 'undefined';

/** Adds a passkey of this browser. A user's first factor comes with recovery codes, which are shown once. */
export function AddPasskey({
  title = 'Add passkey',
  cancel,
  onCancel,
  onClose,
}: {
  title?: string;
  cancel?: string;
  /** If absent, `onClose` is called. */
  onCancel?: () => void;
  onClose: () => void;
}) {
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [codes, setCodes] = useState<readonly string[]>();
  const [error, setError] = useState<unknown>();
  if (codes !== undefined) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog
      title={title}
      description="Your browser asks for your fingerprint, face or PIN."
      onClose={onClose}
      onSubmit={() => {
        setError(undefined);
        void act(
          async () => {
            const passkey = await newPasskey(await api.passkeys.prepare());
            const { recoveryCodes } = await api.passkeys.add({ name, passkey });
            await client.invalidateQueries({ queryKey: ['factors'] });
            if (recoveryCodes === undefined) onClose();
            else setCodes(recoveryCodes);
          },
          { told: 'Passkey added', onFailure: setError },
        );
      }}
      actions={
        <DialogButtons go="Add passkey" onCancel={onCancel ?? onClose} {...(cancel !== undefined && { cancel })} />
      }
    >
      <TextField
        label="Name"
        placeholder="MacBook, 1Password"
        hint="The device or password manager that keeps it"
        value={name}
        onChange={setName}
        error={problemOf(error, 'name')}
        isRequired
        hasFocus
      />
      {problemOf(error, 'name') === undefined && <FailureNote error={error} />}
    </Dialog>
  );
}
