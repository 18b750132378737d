import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useGo } from '../../parts/link.tsx';
import { problemOf } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Fold } from '../../ui/layout.tsx';
import { answerOf, draftOf, ResponseFields, responseText } from './response-fields.tsx';

/** Creates an inspector and opens it. */
export function CreateInspector({ onClose }: { onClose: () => void }) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [name, setName] = useState('');
  const [draft, setDraft] = useState(draftOf());
  const [error, setError] = useState<unknown>();
  const create = (): void => {
    setError(undefined);
    void act(
      async () => {
        const { id } = await api.inspectors.create({ name, answer: answerOf(draft) }, at);
        onClose();
        go(`/inspect/${id}`);
        await refresh();
      },
      { onFailure: setError },
    );
  };
  const request = useRequestToggle(create);
  const isAtField = ['name', 'answer'].some((field) => problemOf(error, field) !== undefined);
  return (
    <Dialog
      title="Create inspector"
      environment={environment}
      onClose={onClose}
      onSubmit={create}
      actions={
        <>
          {request.button}
          <DialogButtons go="Create inspector" onCancel={onClose} />
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        placeholder="First look"
        error={problemOf(error, 'name')}
        isRequired
        hasFocus
      />
      <Fold title="Response" note={responseText({ answer: answerOf(draft) })}>
        <div className="flex flex-col gap-4">
          <ResponseFields draft={draft} error={error} onChange={setDraft} />
        </div>
      </Fold>
      {!isAtField && <FailureNote error={error} />}
      {request.lines}
    </Dialog>
  );
}
