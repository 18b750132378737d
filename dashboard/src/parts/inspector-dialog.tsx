import { useState } from 'react';
import { api, type Inspector } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { problemOf, TextField } from './field.tsx';
import { FormButtons } from './form-buttons.tsx';

type Given = { inspector?: Inspector; onClose: () => void; onDone?: (inspector: Inspector) => void };

/** Makes an inspector, or changes the name and the answers of one. */
export function InspectorDialog({ inspector, onClose, onDone }: Given) {
  const t = useTexts();
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [error, setError] = useState<unknown>();
  const [name, setName] = useState(inspector?.name ?? '');
  const [answer, setAnswer] = useState({
    status: String(inspector?.answer.status ?? 200),
    delayMs: String(inspector?.answer.delayMs ?? 0),
    failurePercent: String(inspector?.answer.failurePercent ?? 0),
  });
  const body = {
    name,
    answer: {
      status: Number(answer.status),
      delayMs: Number(answer.delayMs),
      failurePercent: Number(answer.failurePercent),
    },
  };
  const numbers = [
    ['status', t.inspect.status, t.inspect.statusHint],
    ['delayMs', t.inspect.delay, t.inspect.delayHint],
    ['failurePercent', t.inspect.failures, t.inspect.failuresHint],
  ] as const;
  return (
    <Dialog title={inspector === undefined ? t.inspect.make : t.inspect.answer} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void act(
            async () => {
              const done = await (inspector === undefined
                ? api.inspectors.create(body, at)
                : api.inspectors.update(inspector.id, body, at));
              onClose();
              onDone?.(done);
              await refresh();
            },
            { ...(inspector !== undefined && { told: t.common.saved }), onFailure: setError },
          );
        }}
      >
        <TextField
          label={t.common.name}
          value={name}
          onChange={setName}
          hint={t.inspect.nameHint}
          problem={problemOf(error, 'name')}
          isRequired
          hasFocus={inspector === undefined}
        />
        {numbers.map(([field, label, hint]) => (
          <TextField
            key={field}
            label={label}
            type="number"
            value={answer[field]}
            onChange={(text) => setAnswer({ ...answer, [field]: text })}
            hint={hint}
            problem={problemOf(error, `answer.${field}`)}
            isRequired
            hasFocus={inspector !== undefined && field === 'status'}
          />
        ))}
        <Failure error={error} />
        <FormButtons go={inspector === undefined ? t.inspect.make : t.common.save} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
