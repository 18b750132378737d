import { useState } from 'react';
import { api, isApiError } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { MomentField, useMomentOf } from '../../parts/moment-field.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** Marks a deployment: charts show it as a line, and lists can be narrowed to what came since. */
export function MarkDeployment({ onClose }: { onClose: () => void }) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const momentOf = useMomentOf();
  const [name, setName] = useState('');
  const [when, setWhen] = useState('');
  const [error, setError] = useState<unknown>();
  const field = isApiError(error) ? error.details?.field : undefined;
  const mark = (): void =>
    void act(
      async () => {
        await api.marks.create({ name, at: momentOf(when) }, at);
        onClose();
        await refresh();
      },
      { told: 'Deployment marked', onFailure: setError },
    );
  return (
    <Dialog
      title="Mark deployment"
      environment={environment}
      description="Mark a deployment to compare failures before and after it."
      onClose={onClose}
      onSubmit={mark}
      actions={<DialogButtons go="Mark deployment" onCancel={onClose} isDisabled={name.trim() === ''} />}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        placeholder="Deploy 4.2"
        error={field === 'name' && isApiError(error) ? error.details?.reason : undefined}
        isRequired
        hasFocus
      />
      <MomentField
        label="Deployed at"
        value={when}
        onChange={setWhen}
        hint="Leave empty for now"
        error={field === 'at' && isApiError(error) ? error.details?.reason : undefined}
      />
      {field === undefined && <FailureNote error={error} />}
    </Dialog>
  );
}
