import { useState } from 'react';
import { api, type Channel } from '../api/client.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { memberText, memberTexts, prettyText } from '../lib/raw-json.ts';
import { useRefresh } from '../lib/refresh.ts';
import { schemaOf } from '../lib/schema-of.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { Failure } from '../parts/failure.tsx';
import { ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { JsonText } from '../parts/code.tsx';
import { NewestPass } from '../parts/newest-pass.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';

/** A sample of a schema is made from so many of the newest messages. */
const SAMPLES = 20;
/** The schema of all types stands under this name: no event type is empty. */
const ALL = '';
type Written = readonly (readonly [type: string, text: string])[];

/** The schemas of an answer as their texts, the one of all types first. */
const writtenIn = (channel: string): Written => [
  [ALL, prettyText(memberText(channel, 'schema') ?? '')],
  ...memberTexts(memberText(channel, 'schemas') ?? '{}').map(([type, text]) => [type, prettyText(text)] as const),
];

/** The text of the schema of all types, empty where there is none, and the members of an object with the others. */
function textsOf(written: Written): { all: string; types: string } {
  const own = written.filter(([type, text]) => type !== ALL && text.trim() !== '');
  const types = own.map(([type, text]) => `${JSON.stringify(type)}:${text}`).join(',');
  return { all: written.find(([type]) => type === ALL)?.[1].trim() ?? '', types };
}

/** The body that saves them: each as the text that was written, so that no number of it changes. */
function bodyOf(written: Written, mode: string): string {
  const { all, types } = textsOf(written);
  return `{"schemaMode":"${mode}","schema":${all === '' ? 'null' : all},"schemas":${types === '' ? 'null' : `{${types}}`}}`;
}

/** The members of a request that tries them. */
function triedOf(written: Written): string {
  const { all, types } = textsOf(written);
  return `${all === '' ? '' : `"schema":${all},`}"schemas":{${types}}`;
}

/** The schemas of a channel, for all types and for single ones. `text`: the answer that `channel` was read from. */
export function ChannelSchemas({ channel, text }: { channel: Channel; text: string }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act, tell } = useActs();
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
  /** Whether each of them is JSON. One that is not is shown, with its fault. */
  const areGood = (): boolean => {
    setError(undefined);
    setBadJson(undefined);
    for (const [each, value] of written) {
      const problem = value.trim() === '' ? undefined : jsonProblem(value);
      if (problem === undefined) continue;
      setType(each);
      setBadJson(problem);
      return false;
    }
    return true;
  };
  const writeSample = async (): Promise<void> => {
    const eventType = type === ALL ? undefined : type;
    const { data } = await api.messages.list(channel.id, { limit: SAMPLES, eventType }, at).page();
    // An erased message has no payload.
    const payloads = data.flatMap(({ payload }) => (payload === undefined ? [] : [payload]));
    if (payloads.length === 0) tell(t.schemas.noMessages, 'bad');
    else write(JSON.stringify(schemaOf(payloads), undefined, 2));
  };
  const save = (): void => {
    if (!areGood()) return;
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
          <button type="button" className="button" onClick={() => void act(writeSample, { onFailure: setError })}>
            {t.schemas.fromMessages}
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
      <NewestPass channelId={channel.id} tried={() => (areGood() ? triedOf(written) : undefined)} />
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
