import { Eraser, Pencil, Split, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, type Inspector } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { ResponseSettings } from './response-settings.tsx';

/** The actions of an inspector. */
export function InspectorActions({ of: row }: { of: Inspector }) {
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [asked, setAsked] = useState<'rename' | 'clear' | 'delete'>();
  const close = (): void => setAsked(undefined);
  const clear = async (): Promise<void> => {
    await api.inspectors.clearRequests(row.id, at);
    await refresh();
  };
  const remove = async (): Promise<void> => {
    await api.inspectors.delete(row.id, at);
    go('/inspect');
    await refresh();
  };
  return (
    <>
      <ResponseSettings of={row} />
      <Button look="primary" icon={Split} render={<HereLink to="/subscriptions/new" search={{ target: row.url }} />}>
        Use as endpoint
      </Button>
      <MoreMenu
        groups={[
          {
            items: [
              { label: 'Rename…', icon: Pencil, onSelect: () => setAsked('rename') },
              { label: 'Clear requests…', icon: Eraser, onSelect: () => setAsked('clear') },
            ],
          },
          { items: [{ label: 'Delete…', icon: Trash2, isDanger: true, onSelect: () => setAsked('delete') }] },
        ]}
      />
      {asked === 'rename' && <Rename of={row} onClose={close} />}
      {asked === 'clear' && (
        <Confirm
          title={`Clear all requests of ${row.name}?`}
          go="Clear requests"
          isDanger
          typed={row.name}
          onClose={close}
          onGo={() => void act(clear, { told: 'Requests cleared' })}
        >
          The stored requests are deleted. This can't be undone.
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${row.name}?`}
          go="Delete inspector"
          isDanger
          typed={row.name}
          onClose={close}
          onGo={() => void act(remove, { told: 'Inspector deleted' })}
        >
          Its requests are deleted, and subscriptions that send to its URL get 404.
        </Confirm>
      )}
    </>
  );
}

function Rename({ of: row, onClose }: { of: Inspector; onClose: () => void }) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [name, setName] = useState(row.name);
  const [error, setError] = useState<unknown>();
  const rename = (): void => {
    setError(undefined);
    void act(
      async () => {
        await api.inspectors.update(row.id, { name }, at);
        onClose();
        await refresh();
      },
      { told: 'Renamed', onFailure: setError },
    );
  };
  return (
    <Dialog
      title={`Rename ${row.name}`}
      environment={environment}
      onClose={onClose}
      onSubmit={rename}
      actions={<DialogButtons go="Rename" onCancel={onClose} isDisabled={name.trim() === ''} />}
    >
      <TextField label="Name" value={name} onChange={setName} error={problemOf(error, 'name')} isRequired hasFocus />
      {problemOf(error, 'name') === undefined && <FailureNote error={error} />}
    </Dialog>
  );
}
