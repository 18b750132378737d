import { useState } from 'react';
import { api, type WorkflowSecret } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** Sets the value of a new secret, or a new value of an existing one. */
export function SecretDialog({ secret, onClose }: { secret?: WorkflowSecret; onClose: () => void }) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [name, setName] = useState(secret?.name ?? '');
  const [value, setValue] = useState('');
  const [error, setError] = useState<unknown>();
  const isNew = secret === undefined;
  const save = (): void => {
    setError(undefined);
    void act(
      async () => {
        await (isNew ? api.secrets.create({ name, value }, at) : api.secrets.update(secret.id, { value }, at));
        onClose();
        await refresh();
      },
      { told: isNew ? 'Secret created' : 'Secret changed', onFailure: setError },
    );
  };
  const request = useRequestToggle(save);
  const isAtField = ['name', 'value'].some((field) => problemOf(error, field) !== undefined);
  return (
    <Dialog
      title={isNew ? 'Create secret' : `Change ${secret.name}`}
      environment={environment}
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          {request.button}
          <DialogButtons go={isNew ? 'Create secret' : 'Change value'} onCancel={onClose} />
        </>
      }
    >
      {isNew && (
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          placeholder="CRM_TOKEN"
          hint="Capital letters, digits and underscores"
          error={problemOf(error, 'name')}
          isRequired
          isMono
          hasFocus
        />
      )}
      <TextField
        label="Value"
        value={value}
        onChange={setValue}
        type="password"
        autoComplete="new-password"
        hint="Write-only. Used by steps that start from now on."
        error={problemOf(error, 'value')}
        isRequired
        hasFocus={!isNew}
      />
      {!isAtField && <FailureNote error={error} />}
      {request.lines}
    </Dialog>
  );
}
