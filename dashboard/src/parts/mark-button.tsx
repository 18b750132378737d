import { useState } from 'react';
import { api } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { problemOf, TextField } from './field.tsx';
import { FormButtons } from './form-buttons.tsx';
import { TimeField, useTimeOf } from './time-field.tsx';

/** Marks a deployment, for those who may. */
export function MarkButton() {
  const t = useTexts();
  const { may } = useHere();
  const [isMaking, setIsMaking] = useState(false);
  if (!may('developer')) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setIsMaking(true)}>
        {t.marks.make}
      </button>
      {isMaking && <MarkDialog onClose={() => setIsMaking(false)} />}
    </>
  );
}

function MarkDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts();
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [when, setWhen] = useState('');
  const timeOf = useTimeOf();
  const [error, setError] = useState<unknown>();
  return (
    <Dialog title={t.marks.make} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void act(
            async () => {
              await api.marks.create({ name, at: timeOf(when) }, at);
              onClose();
              await refresh();
            },
            { told: t.marks.made, onFailure: setError },
          );
        }}
      >
        <p className="muted">{t.marks.why}</p>
        <TextField
          label={t.common.name}
          value={name}
          onChange={setName}
          hint={t.marks.nameHint}
          problem={problemOf(error, 'name')}
          isRequired
          hasFocus
        />
        <TimeField
          label={t.marks.when}
          value={when}
          onChange={setWhen}
          hint={t.marks.whenHint}
          problem={problemOf(error, 'at')}
        />
        <Failure error={error} />
        <FormButtons go={t.marks.make} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
