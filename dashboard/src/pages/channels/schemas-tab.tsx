import { Trash2, WandSparkles } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { api, type Channel } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { schemaOf } from '../../lib/schema-of.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { NewerNote } from '../../parts/newer-note.tsx';
import { useRequestDialog } from '../../parts/request-dialog.tsx';
import { useEdits } from '../../parts/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor, type CodeEditorHandle } from '../../ui/code/code-editor.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/layout.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { ALL, schemaBodyOf, fieldsOf, placedProblem, syntaxOf, textsOf, triedOf } from './schema-fields.ts';
import { type ListedSchema, SchemaList, schemaName } from './schema-list.tsx';
import { useRecentTypes } from './use-recent.ts';
import { schemaProblemOf, useSchemaCheck } from './use-schema-check.ts';
import { useValidation, ValidateRecent } from './validate-recent.tsx';
import { invalidPayloads, MODES } from './words.ts';

/** How many of the newest messages a schema is inferred from. */
const SAMPLES = 20;

const NAMES = {
  all: 'Schema of all event types',
  types: 'Schemas of single event types',
  mode: 'Invalid payloads',
} as const;

/**
 * The schemas of a channel, for all event types and for single ones. `text`: the response that the channel was loaded
 * from.
 */
export function SchemasTab({ of: channel, text }: { of: Channel; text: string }) {
  const { may } = useHere();
  return may('developer') ? <SchemasForm of={channel} text={text} /> : <SchemasView of={channel} text={text} />;
}

function SchemasForm({ of: channel, text }: { of: Channel; text: string }) {
  const { at } = useHere();
  const { act, tell } = useActs();
  const refresh = useRefresh();
  const editor = useRef<CodeEditorHandle>(null);
  const fields = useMemo(() => fieldsOf({ data: channel, text }), [channel, text]);
  const edits = useEdits(fields, `schemas of ${channel.id}`);
  const { values, written } = edits;
  const { mode } = values;
  // The editor may still hold the callback of an earlier render.
  const latest = useRef(values);
  latest.current = values;
  const texts = textsOf(values);
  const saved = new Map(textsOf(fields));
  const [chosen, setType] = useState<string>(ALL);
  // Someone else may have removed the selected one.
  const type = texts.some(([each]) => each === chosen) ? chosen : ALL;
  const [isReplacing, setIsReplacing] = useState(false);
  const [error, setError] = useState<unknown>();
  const validation = useValidation(channel.id);
  const types = useRecentTypes(channel.id);
  const current = texts.find(([each]) => each === type)?.[1] ?? '';
  const isGood = texts.every(([, each]) => syntaxOf(each) === undefined);
  const isWritten = written.all !== undefined || written.types !== undefined;
  const tried = triedOf(values);
  const problem = useSchemaCheck(channel.id, isWritten && isGood ? tried : undefined) ?? schemaProblemOf(error);
  const syntax = syntaxOf(current);
  const problems =
    syntax !== undefined
      ? [syntax]
      : problem !== undefined && problem.type === type
        ? [placedProblem(problem, current)]
        : [];
  const isChanged = Object.keys(written).length > 0;
  const isUnsaved = current.trim() !== '' && current !== saved.get(type);

  const write = (value: string): void => {
    setError(undefined);
    edits.write(
      type === ALL
        ? { all: value }
        : {
            types: latest.current.types.map(([each, before]) => [each, each === type ? value : before] as const),
          },
    );
  };
  /** Whether all of them are valid JSON. One that is not is opened, with its problem. */
  const areGood = (): boolean => {
    setError(undefined);
    const bad = texts.find(([, each]) => syntaxOf(each) !== undefined);
    if (bad === undefined) return true;
    setType(bad[0]);
    if (bad[0] === type) editor.current?.focus();
    return false;
  };
  const generate = async (): Promise<void> => {
    const query = { limit: SAMPLES, ...(type !== ALL && { eventType: type }) };
    const { data } = await api.messages.list(channel.id, query, at).page();
    // An erased message has no payload.
    const payloads = data.flatMap(({ payload }) => (payload === undefined ? [] : [payload]));
    if (payloads.length === 0) tell('No recent messages to generate a schema from', 'bad');
    else write(JSON.stringify(schemaOf(payloads), undefined, 2));
  };
  const goGenerate = (): void => void act(generate, { told: () => undefined });
  const save = (): void => {
    if (!areGood()) return;
    // For a channel without schemas the service does not return its mode, so save the displayed one.
    const sent = { ...(channel.schemaMode === undefined && { mode }), ...written };
    edits.save({
      read: async () => fieldsOf(await api.channels.get(channel.id, at).withAnswer()),
      send: async () => fieldsOf(await api.channels.update(channel.id, schemaBodyOf(sent), at).withAnswer()),
      refresh,
      onFailure: (failure) => {
        setError(failure);
        const refused = schemaProblemOf(failure);
        if (refused !== undefined) setType(refused.type);
      },
    });
  };
  const request = useRequestDialog(save);
  const checked = validation.result?.tried === tried ? validation.result.invalid : [];
  const listed = texts.map(
    ([each, value]): ListedSchema => ({
      type: each,
      isEmpty: value.trim() === '',
      isEdited: value !== saved.get(each),
      hasProblem: syntaxOf(value) !== undefined || problem?.type === each,
      invalid: each === ALL ? 0 : checked.filter(({ eventType }) => eventType === each).length,
    }),
  );
  return (
    <>
      <form
        className="grid gap-x-8 gap-y-7 lg:grid-cols-[200px_minmax(0,1fr)] xl:grid-cols-[200px_minmax(0,1fr)_340px]"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <SchemaList
          of={listed}
          chosen={type}
          onChoose={setType}
          known={types.filter((each) => !texts.some(([other]) => other === each))}
          onAdd={(next) => {
            if (!texts.some(([each]) => each === next)) edits.write({ types: [...values.types, [next, '']] });
            setType(next);
          }}
        />
        <div className="flex min-w-0 flex-col gap-4">
          <Section
            title={<span className={type === ALL ? undefined : 'mono'}>{schemaName(type)}</span>}
            end={
              <>
                <Button
                  size="small"
                  icon={WandSparkles}
                  onClick={() => (isUnsaved ? setIsReplacing(true) : goGenerate())}
                >
                  Generate from recent messages
                </Button>
                {type !== ALL && (
                  <Button
                    size="small"
                    icon={Trash2}
                    onClick={() => {
                      setError(undefined);
                      edits.write({ types: values.types.filter(([each]) => each !== type) });
                      setType(ALL);
                    }}
                  >
                    Remove
                  </Button>
                )}
              </>
            }
          >
            <CodeEditor
              key={type}
              ref={editor}
              label={`JSON Schema of ${type === ALL ? 'all event types' : type}`}
              isLabelHidden
              language="json"
              value={current}
              onChange={write}
              minLines={18}
              maxLines={32}
              placeholder="No schema: every payload is accepted"
              hint="JSON Schema 2020-12 or draft-07"
              problems={problems}
            />
          </Section>
          <NewerNote edits={edits} at={channel.updatedAt} names={NAMES} />
          {schemaProblemOf(error) === undefined && <FailureNote error={error} />}
          <div className="sticky bottom-0 -mx-2 flex flex-wrap justify-end gap-2 border-t border-line bg-surface px-2 py-3">
            {isChanged && request.button}
            {isChanged && (
              <Button
                onClick={() => {
                  setError(undefined);
                  edits.drop();
                }}
              >
                Discard changes
              </Button>
            )}
            <Button look="primary" type="submit" isDisabled={!isChanged} why="Nothing has changed">
              Save
            </Button>
          </div>
        </div>
        <div className="flex min-w-0 flex-col gap-7 lg:max-xl:col-start-2">
          <Section title={NAMES.mode}>
            <Segmented
              label={NAMES.mode}
              layout="wide"
              value={mode}
              onChange={(next) => edits.write({ mode: next === 'warn' ? 'warn' : 'enforce' })}
              options={Object.entries(MODES).map(([value, label]) => ({ value, label }))}
            />
          </Section>
          <ValidateRecent of={validation} tried={tried} onRun={() => areGood() && validation.run(tried)} />
        </div>
      </form>
      {request.dialog}
      {isReplacing && (
        <Confirm
          title="Replace your edits?"
          go="Replace edits"
          hasRequest={false}
          onClose={() => setIsReplacing(false)}
          onGo={goGenerate}
        >
          The schema that you have written here isn't saved.
        </Confirm>
      )}
    </>
  );
}

/** The read-only view of the schemas. */
function SchemasView({ of: channel, text }: { of: Channel; text: string }) {
  const fields = useMemo(() => fieldsOf({ data: channel, text }), [channel, text]);
  const texts = textsOf(fields).filter(([, each]) => each !== '');
  const [chosen, setType] = useState<string>();
  const [type, current] = texts.find(([each]) => each === chosen) ?? texts[0] ?? [];
  if (type === undefined || current === undefined)
    return (
      <Empty title="No schema">
        <p>Every payload is accepted.</p>
      </Empty>
    );
  return (
    <div className="grid gap-x-8 gap-y-7 lg:grid-cols-[200px_minmax(0,1fr)]">
      <SchemaList
        of={texts.map(([each]) => ({ type: each, isEmpty: false, isEdited: false, hasProblem: false, invalid: 0 }))}
        chosen={type}
        onChoose={setType}
        known={[]}
      />
      <CodeView
        label={schemaName(type)}
        text={current}
        language="json"
        note={`Invalid payloads: ${invalidPayloads(channel).toLowerCase()}`}
      />
    </div>
  );
}
