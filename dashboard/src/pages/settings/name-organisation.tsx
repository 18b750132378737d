import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Organisation } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** Creates an organisation, or renames one. */
export function NameOrganisation({ of, onClose }: { of?: Organisation; onClose: () => void }) {
  const { act } = useActs();
  const client = useQueryClient();
  const [name, setName] = useState(of?.name ?? '');
  const [error, setError] = useState<unknown>();
  const save = (): void => {
    setError(undefined);
    void act(
      async () => {
        if (of === undefined) await api.organisations.create({ name });
        else await api.organisations.update(of.id, { name }, { place: { organisationId: of.id } });
        onClose();
        await client.invalidateQueries({ queryKey: ['session'] });
      },
      { told: of === undefined ? 'Organisation created' : 'Organisation renamed', onFailure: setError },
    );
  };
  return (
    <Dialog
      title={of === undefined ? 'Create organisation' : `Rename ${of.name}`}
      description={of === undefined ? 'An organisation has its own apps and members.' : undefined}
      onClose={onClose}
      onSubmit={save}
      actions={
        <DialogButtons go={of === undefined ? 'Create organisation' : 'Rename organisation'} onCancel={onClose} />
      }
    >
      <TextField label="Name" value={name} onChange={setName} error={problemOf(error, 'name')} isRequired hasFocus />
      {problemOf(error, 'name') === undefined && <FailureNote error={error} />}
    </Dialog>
  );
}
