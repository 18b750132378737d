import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { api, type Inspector } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { answerOf, draftOf, ResponseFields, responseText } from './response-fields.tsx';

/** The response of the inspector: a button that shows it and opens its settings. */
export function ResponseSettings({ of: row }: { of: Inspector }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover
      title="Response"
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <Button icon={SlidersHorizontal} aria-haspopup="dialog">
          Response: {responseText(row)}
        </Button>
      }
    >
      <Form of={row} onClose={() => setIsOpen(false)} />
    </Popover>
  );
}

function Form({ of: row, onClose }: { of: Inspector; onClose: () => void }) {
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [draft, setDraft] = useState(draftOf(row));
  const [error, setError] = useState<unknown>();
  const save = (): void => {
    setError(undefined);
    void act(
      async () => {
        await api.inspectors.update(row.id, { answer: answerOf(draft) }, at);
        onClose();
        await refresh();
      },
      { told: 'Response changed', onFailure: setError },
    );
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <ResponseFields draft={draft} error={error} onChange={setDraft} />
      {problemOf(error, 'answer') === undefined && <FailureNote error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit">
          Save
        </Button>
      </div>
    </form>
  );
}
