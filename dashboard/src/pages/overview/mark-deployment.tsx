import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, isApiError, type Marker } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Ago } from '../../parts/moment.tsx';
import { MomentField, useMomentOf } from '../../parts/moment-field.tsx';
import { useMarkers } from '../../parts/use-markers.ts';
import { IconButton } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** Marks a deployment: charts show it as a line, and lists can be narrowed to the time since. */
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
        await api.markers.create({ name, at: momentOf(when) }, at);
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
      <Marked />
    </Dialog>
  );
}

const SHOWN = 5;

/** The latest markers, each of which can be deleted. */
function Marked() {
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const marks = useMarkers().slice(0, SHOWN);
  const remove = ({ id, name, at: when }: Marker): void =>
    void act(() => api.markers.delete(id, at).then(refresh), {
      told: `${name} deleted`,
      undo: () => api.markers.create({ name, at: when }, at).then(refresh),
    });
  if (marks.length === 0) return null;
  return (
    <section aria-label="Marked deployments">
      <h3 className="mb-1 text-12 text-text-2">Marked deployments</h3>
      <ul className="border-t border-line">
        {marks.map((mark) => (
          <li key={mark.id} className="flex min-h-9 items-center gap-2.5 border-b border-line">
            <span className="min-w-0 grow truncate">{mark.name}</span>
            <span className="shrink-0 text-text-2">
              <Ago at={mark.at} />
            </span>
            <IconButton icon={Trash2} label={`Delete ${mark.name}`} size="small" onClick={() => remove(mark)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
