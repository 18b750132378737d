import { useState } from 'react';
import { api, type Channel } from '../api/client.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { memberText, memberTexts, prettyText } from '../lib/raw-json.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { Failure } from '../parts/failure.tsx';
import { ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { JsonText } from '../parts/code.tsx';
import { NewestPass } from '../parts/newest-pass.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';

/** The schema of all types stands under this name: no event type is empty. */
const ALL = '';
type Written = readonly (readonly [type: string, text: string])[];

/** The schemas of an answer as their texts, the one of all types first. */
const writtenIn = (channel: string): Written => [
  [ALL, prettyText(memberText(channel, 'schema') ?? '')],
  ...memberTexts(memberText(channel, 'schemas') ?? '{}').map(([type, text]) => [type, prettyText(text)] as const),
];

/** The body that saves them: each as the text that was written, so that no number of it changes. */
function bodyOf(written: Written, mode: string): string {
  const own = written.filter(([type, text]) => type !== ALL && text.trim() !== '');
  const all = written.find(([type]) => type === ALL)?.[1].trim() ?? '';
  const schemas = own.map(([type, text]) => `${JSON.stringify(type)}:${text}`).join(',');
  return `{"schemaMode":"${mode}","schema":${all === '' ? 'null' : all},"schemas":${schemas === '' ? 'null' : `{${schemas}}`}}`;
}

/** The schemas of a channel, for all types and for single ones. `text`: the answer that `channel` was read from. */
export function ChannelSchemas({ channel, text }: { channel: Channel; text: string }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [written, setWritten] = useState<Written>(() => writtenIn(text));
  const [type, setType] = useState<string>(ALL);
  const [newType, setNewType] = useState<string>();
  const [mode, setMode] = useState(channel.schemaMode ?? 'enforce');
  const [error, setError] = useState<unknown>();
  const [badJson, setBadJson] = useState<string>();
  const current = written.find(([each]) => each === type)?.[1] ?? '';
  const nameOf = (each: string): string => (each === ALL ? t.schemas.allTypes : each);
  const choice = (
    <ChoiceField
      label={t.schemas.of}
      value={type}
      onChange={setType}
      options={written.map(([each]) => [each, nameOf(each)])}
    />
  );
  if (!may('developer'))
    return (
      <div className="stack">
        {choice}
        {current === '' ? (
          <p className="muted">{t.channels.noSchema}</p>
        ) : (
          <JsonText json={current} label={nameOf(type)} />
        )}
      </div>
    );
  const write = (value: string): void =>
    setWritten(written.map(([each, before]) => [each, each === type ? value : before] as const));
  const save = (): void => {
    setError(undefined);
    setBadJson(undefined);
    for (const [each, value] of written) {
      const problem = value.trim() === '' ? undefined : jsonProblem(value);
      if (problem === undefined) continue;
      setType(each);
      return setBadJson(problem);
    }
    void act(
      async () => {
        await api.channels.update(channel.id, bodyOf(written, mode), at);
        await refresh();
      },
      { told: t.common.saved, onFailure: setError },
    );
  };
  return (
    <>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <p className="muted">{t.schemas.why}</p>
        {choice}
        <div className="buttons">
          <button type="button" className="button" onClick={() => setNewType('')}>
            {t.schemas.add}
          </button>
          {type !== ALL && (
            <button
              type="button"
              className="button plain"
              onClick={() => {
                setWritten(written.filter(([each]) => each !== type));
                setType(ALL);
              }}
            >
              {t.schemas.remove}
            </button>
          )}
        </div>
        <TextField
          label={t.schemas.text(nameOf(type))}
          value={current}
          onChange={write}
          lines={14}
          hint={t.channels.schemaHint}
          problem={badJson ?? problemOf(error, type === ALL ? 'schema' : 'schemas')}
        />
        <ChoiceField
          label={t.channels.mode}
          value={mode}
          onChange={setMode}
          options={[
            ['enforce', t.channels.enforce],
            ['warn', t.channels.warn],
          ]}
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.common.save}
          </button>
        </div>
        <ShellButton />
      </form>
      <NewestPass channelId={channel.id} />
      {newType !== undefined && (
        <Ask
          title={t.schemas.add}
          go={t.schemas.add}
          onClose={() => setNewType(undefined)}
          onGo={() => {
            if (!written.some(([each]) => each === newType)) setWritten([...written, [newType, '']]);
            setType(newType);
          }}
        >
          <TextField
            label={t.fields.eventType}
            value={newType}
            onChange={setNewType}
            hint={t.schemas.typeHint}
            isRequired
            hasFocus
          />
        </Ask>
      )}
    </>
  );
}
