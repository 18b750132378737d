import { useMemo, useState } from 'react';
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
import { JsonEditor } from '../parts/json-editor.tsx';
import { NewestPass } from '../parts/newest-pass.tsx';
import { NewerState } from '../parts/newer-state.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { useEdits } from '../parts/use-edits.ts';
import type { Texts } from '../texts/en.ts';

/** A sample of a schema is made from so many of the newest messages. */
const SAMPLES = 20;
/** The schema of all types stands under this name: no event type is empty. */
const ALL = '';
/** The service says of a schema what is wrong, and not where. */
const NONE: readonly [] = [];
type Written = readonly (readonly [type: string, text: string])[];

/** Why a text is no JSON. One that is empty stands for no schema. */
const problemIn = (text: string, t: Texts): string | undefined =>
  text.trim() === '' ? undefined : jsonProblem(text, t);

/** The fields of an answer: the schema of all types, those of single types, and what becomes of a payload that does not fit. */
const fieldsOf = ({ data: channel, text }: { data: Channel; text: string }) => ({
  all: prettyText(memberText(text, 'schema') ?? ''),
  types: memberTexts(memberText(text, 'schemas') ?? '{}').map(
    ([type, schema]) => [type, prettyText(schema)] as const,
  ) as Written,
  mode: channel.schemaMode ?? 'enforce',
});
type SchemaFields = ReturnType<typeof fieldsOf>;

/** The members of an object with the schemas of single types. */
const membersOf = (types: Written): string =>
  types
    .filter(([, text]) => text.trim() !== '')
    .map(([type, text]) => `${JSON.stringify(type)}:${text}`)
    .join(',');

/** The body that saves what was written of them: each as that text, so that no number of it changes. */
function bodyOf({ all, types, mode }: Partial<SchemaFields>): string {
  const parts = [
    mode === undefined ? [] : [`"schemaMode":"${mode}"`],
    all === undefined ? [] : [`"schema":${all.trim() === '' ? 'null' : all}`],
    types === undefined ? [] : [`"schemas":${membersOf(types) === '' ? 'null' : `{${membersOf(types)}}`}`],
  ];
  return `{${parts.flat().join(',')}}`;
}

/** The members of a request that tries them. */
const triedOf = ({ all, types }: SchemaFields): string =>
  `${all.trim() === '' ? '' : `"schema":${all},`}"schemas":{${membersOf(types)}}`;

/** The schemas of a channel, for all types and for single ones. `text`: the answer that `channel` was read from. */
export function ChannelSchemas({ channel, text }: { channel: Channel; text: string }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act, tell } = useActs();
  const refresh = useRefresh();
  const fields = useMemo(() => fieldsOf({ data: channel, text }), [channel, text]);
  const edits = useEdits(fields);
  const { all, types, mode } = edits.values;
  const texts: Written = [[ALL, all], ...types];
  const [chosen, setType] = useState<string>(ALL);
  // Somebody else may have taken the chosen one away.
  const type = texts.some(([each]) => each === chosen) ? chosen : ALL;
  const [newType, setNewType] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  const current = texts.find(([each]) => each === type)?.[1] ?? '';
  const saved = type === ALL ? fields.all : (fields.types.find(([each]) => each === type)?.[1] ?? '');
  const badJson = problemIn(current, t);
  const isUnsaved = current.trim() !== '' && current !== saved;
  const nameOf = (each: string): string => (each === ALL ? t.schemas.allTypes : each);
  const choice = (
    <ChoiceField
      label={t.schemas.of}
      value={type}
      onChange={setType}
      options={texts.map(([each]) => [each, nameOf(each)])}
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
  const write = (value: string): void => {
    setError(undefined);
    edits.write(
      type === ALL
        ? { all: value }
        : { types: types.map(([each, before]) => [each, each === type ? value : before] as const) },
    );
  };
  /** Whether each of them is JSON. One that is not is shown, with its fault. */
  const areGood = (): boolean => {
    setError(undefined);
    const bad = texts.find(([, value]) => problemIn(value, t) !== undefined);
    if (bad !== undefined) setType(bad[0]);
    return bad === undefined;
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
    // A channel without schemas does not tell the mode that it keeps: the shown one is to hold.
    const sent = { ...(channel.schemaMode === undefined && { mode }), ...edits.written };
    edits.save({
      read: async () => fieldsOf(await api.channels.get(channel.id, at).withAnswer()),
      send: async () => fieldsOf(await api.channels.update(channel.id, bodyOf(sent), at).withAnswer()),
      refresh,
      onFailure: setError,
    });
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
          <button
            type="button"
            className="button"
            onClick={() => (isUnsaved ? setIsAsking(true) : void act(writeSample, { onFailure: setError }))}
          >
            {t.schemas.fromMessages}
          </button>
          {type !== ALL && (
            <button
              type="button"
              className="button plain"
              onClick={() => {
                edits.write({ types: types.filter(([each]) => each !== type) });
                setType(ALL);
              }}
            >
              {t.schemas.remove}
            </button>
          )}
        </div>
        <JsonEditor
          label={t.schemas.text(nameOf(type))}
          hint={t.channels.schemaHint}
          text={current}
          onChange={write}
          badJson={badJson ?? problemOf(error, type === ALL ? 'schema' : 'schemas')}
          problems={NONE}
          isReadOnly={false}
        />
        <ChoiceField
          label={t.channels.mode}
          value={mode}
          onChange={(next) => edits.write({ mode: next })}
          options={[
            ['enforce', t.channels.enforce],
            ['warn', t.channels.warn],
          ]}
        />
        <NewerState
          edits={edits}
          at={channel.updatedAt}
          names={{ all: t.schemas.text(t.schemas.allTypes), types: t.schemas.ofTypes, mode: t.channels.mode }}
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.common.save}
          </button>
        </div>
        <ShellButton />
      </form>
      <NewestPass channelId={channel.id} tried={() => (areGood() ? triedOf(edits.values) : undefined)} />
      {isAsking && (
        <Ask
          title={t.newer.overwrite}
          go={t.newer.overwriteGo}
          isLocal
          onClose={() => setIsAsking(false)}
          onGo={() => void act(writeSample, { onFailure: setError })}
        >
          <p>{t.newer.overwriteWhy}</p>
        </Ask>
      )}
      {newType !== undefined && (
        <Ask
          title={t.schemas.add}
          go={t.schemas.add}
          isLocal
          onClose={() => setNewType(undefined)}
          onGo={() => {
            if (!texts.some(([each]) => each === newType)) edits.write({ types: [...types, [newType, '']] });
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
