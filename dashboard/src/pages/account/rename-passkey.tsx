import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Passkey } from '../../api/client.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

export function RenamePasskey({ of, onClose }: { of: Passkey; onClose: () => void }) {
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState(of.name);
  const [error, setError] = useState<unknown>();
  return (
    <Dialog
      title={`Rename ${of.name}`}
      onClose={onClose}
      onSubmit={() => {
        setError(undefined);
        void act(
          async () => {
            await api.passkeys.rename(of.id, { name });
            await client.invalidateQueries({ queryKey: ['factors'] });
            onClose();
          },
          { told: 'Passkey renamed', onFailure: setError },
        );
      }}
      actions={<DialogButtons go="Rename passkey" onCancel={onClose} />}
    >
      <TextField label="Name" value={name} onChange={setName} error={problemOf(error, 'name')} isRequired hasFocus />
      {problemOf(error, 'name') === undefined && <FailureNote error={error} />}
    </Dialog>
  );
}
