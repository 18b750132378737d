import { useState } from 'react';
import { api, type Mark } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { AskButton } from './ask-button.tsx';
import { Dialog } from './dialog.tsx';
import { FailedSince } from './failed-since.tsx';
import { Failure } from './failure.tsx';
import { problemOf, TextField } from './field.tsx';
import { FormButtons } from './form-buttons.tsx';
import { HereLink } from './link.tsx';
import { TimeField, useTimeOf } from './time-field.tsx';
import { Time } from './time.tsx';
import { useMarks } from './use-marks.ts';

/** So many stand on the overview. */
const SHOWN = 5;

/** Moments that somebody has marked, each with the way to what has failed since. */
export function Marks() {
  const t = useTexts();
  const { may } = useHere();
  const marks = useMarks();
  const [isMaking, setIsMaking] = useState(false);
  return (
    <section className="box section" aria-label={t.marks.title}>
      <div className="heading">
        <h2>{t.marks.title}</h2>
        {may('developer') && (
          <button type="button" className="button" onClick={() => setIsMaking(true)}>
            {t.marks.make}
          </button>
        )}
      </div>
      {marks.length === 0 ? (
        <p className="muted">{t.marks.none}</p>
      ) : (
        <div className="wide">
          <table className="table">
            <tbody>
              {marks.slice(0, SHOWN).map((mark) => (
                <Row key={mark.id} mark={mark} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isMaking && <MarkDialog onClose={() => setIsMaking(false)} />}
    </section>
  );
}

function Row({ mark }: { mark: Mark }) {
  const t = useTexts();
  const { at, may } = useHere();
  const refresh = useRefresh();
  return (
    <tr>
      <td>
        <Time at={mark.at} />
      </td>
      <td>{mark.name}</td>
      <td>
        <HereLink to="/overview" search={{ mark: mark.id }}>
          {t.marks.compare} <span className="hidden">{mark.name}</span>
        </HereLink>{' '}
        · <FailedSince at={mark.at} />
      </td>
      <td>
        {may('developer') && (
          <AskButton
            label={t.common.delete}
            of={mark.name}
            title={t.ask.deleteTitle(mark.name)}
            why={t.ask.deleteMarkWhy}
            name={mark.name}
            told={t.common.deleted}
            looks="plain"
            what={async () => {
              await api.marks.delete(mark.id, at);
              await refresh();
            }}
          />
        )}
      </td>
    </tr>
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
