import { useState } from 'react';
import { parsed } from '../../../lib/definition-edit.ts';
import type { DefinitionField, Named } from '../../../lib/definition-fields.ts';
import { problemsAt, told, toldText } from '../../../lib/definition-problems.ts';
import { choiceWord, fieldWords } from '../../../lib/definition-words.ts';
import { type Path, valueText, withValue } from '../../../lib/json-edit.ts';
import { useHere } from '../../../lib/session.ts';
import { FULL, useFoundNames, useSettled } from '../../../parts/use-found.ts';
import { useNamed } from '../../../parts/use-named.ts';
import type { Completions } from '../../../ui/code/completion.ts';
import { Switch } from '../../../ui/field.tsx';
import { SelectField } from '../../../ui/select.tsx';
import { TokenField } from '../../../ui/token-field.tsx';
import { AuthField } from './auth-field.tsx';
import { DurationField } from './duration-field.tsx';
import { PolicyField } from './policy-field.tsx';
import type { Draft } from './use-definition.ts';
import { WrittenField, type WrittenKind } from './written-field.tsx';

type Given = {
  draft: Draft;
  field: DefinitionField;
  /** The config that it belongs to, as a path and in the service's notation. */
  at: Path;
  atField: string;
  completions: { values: Completions; secrets: Completions };
};

/** One member of a config. A value that its field cannot show is shown as JSON. */
export function FieldView({ draft, field, at, atField, completions }: Given) {
  const own = [...at, field.name];
  const ownText = valueText(draft.text, draft.tree, own);
  const alias =
    ownText === undefined && field.alias !== undefined
      ? valueText(draft.text, draft.tree, [...at, field.alias])
      : undefined;
  const raw = alias === undefined ? ownText : `[${alias}]`;
  const problems = [field.name, field.alias].flatMap((name) =>
    name === undefined ? [] : problemsAt(draft.problems, `${atField}.${name}`),
  );
  const words = fieldWords(field.label ?? field.name);
  const error =
    problems.length === 0 ? undefined : problems.map((each) => toldText(told(each, draft.stepIds))).join('. ');
  const write = (value: string | undefined): void => {
    const without = alias === undefined ? draft.text : withValue(draft.text, [...at, field.alias ?? ''], undefined);
    draft.change(withValue(without, own, value), own.join('.'));
  };
  const common = {
    label: words.label,
    ...(words.hint !== undefined && { hint: words.hint }),
    ...(error !== undefined && { error }),
    isDisabled: draft.isReadOnly,
  };
  const value = parsed(raw);
  const isText = value === undefined || typeof value === 'string';
  const written = { raw, onChange: write };
  if (field.kind === 'choice' && isText)
    return (
      <SelectField
        {...common}
        value={typeof value === 'string' ? value : ''}
        options={[
          { value: '', label: words.empty ?? 'Default' },
          ...optionsWith(field.options, value).map((each) => ({ value: each, label: choiceWord(each) })),
        ]}
        onChange={(each) => write(each === '' ? undefined : JSON.stringify(each))}
      />
    );
  if (field.kind === 'flag' && (value === undefined || typeof value === 'boolean'))
    return (
      <Switch
        label={words.label}
        isOn={value ?? field.isOn}
        isDisabled={draft.isReadOnly}
        onChange={(isOn) => write(isOn === field.isOn ? undefined : String(isOn))}
      />
    );
  if (field.kind === 'duration' && (isText || typeof value === 'number'))
    return <DurationField {...common} {...written} {...(words.empty !== undefined && { placeholder: words.empty })} />;
  if (field.kind === 'list' && isListOfTexts(value))
    return (
      <TokenField
        {...common}
        values={value ?? []}
        onChange={(values) => write(values.length === 0 ? undefined : JSON.stringify(values))}
        {...(words.empty !== undefined && { placeholder: words.empty })}
      />
    );
  if (field.kind === 'channels' && isListOfTexts(value))
    return <ChannelsField common={common} chosen={value ?? []} empty={words.empty ?? ''} write={write} />;
  if (field.kind === 'named' && isText)
    return <NamedField common={common} of={field.of} draft={draft} at={at} value={value ?? ''} write={write} />;
  if (field.kind === 'auth')
    return (
      <AuthField
        raw={raw}
        onChange={write}
        field={`${atField}.${field.name}`}
        problems={problems}
        stepIds={draft.stepIds}
        completions={completions.secrets}
        isReadOnly={draft.isReadOnly}
      />
    );
  if (field.kind === 'policy')
    return (
      <PolicyField
        raw={raw}
        onChange={write}
        field={`${atField}.${field.name}`}
        problems={problems}
        stepIds={draft.stepIds}
        isReadOnly={draft.isReadOnly}
      />
    );
  return (
    <WrittenField
      label={words.label}
      hint={words.hint}
      placeholder={words.empty}
      kind={writtenKindOf(field.kind, value)}
      {...written}
      field={`${atField}.${field.name}`}
      problems={problems}
      stepIds={draft.stepIds}
      completions={
        field.name === 'headers' || field.name === 'query' || field.name === 'params'
          ? completions.secrets
          : completions.values
      }
      isReadOnly={draft.isReadOnly}
      isMono={field.kind === 'plain' && field.name !== 'label'}
    />
  );
}

const isListOfTexts = (value: unknown): value is readonly string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string'));

const optionsWith = (options: readonly string[], value: unknown): readonly string[] =>
  typeof value !== 'string' || value === '' || options.includes(value) ? options : [...options, value];

function writtenKindOf(kind: DefinitionField['kind'], value: unknown): WrittenKind {
  if (kind === 'number' && (value === undefined || typeof value === 'number')) return 'number';
  const isText = value === undefined || typeof value === 'string';
  return isText && (kind === 'plain' || kind === 'template' || kind === 'templates' || kind === 'cel') ? kind : 'json';
}

/** Kinds of things of which the environment may have more than the newest hundred. */
const FOUND = { channels: 'channel', webhooks: 'webhook', workflows: 'workflow', connections: 'connection' } as const;

/** Things to choose from, and others found by the typed text. */
function useChoices(of: Named, connectorId: string) {
  const options = useNamed(of, connectorId);
  const [wanted, setWanted] = useState('');
  const isFull = options.length >= FULL && of in FOUND;
  const settled = useSettled(wanted);
  const kind = of in FOUND ? FOUND[of as keyof typeof FOUND] : 'channel';
  const found = useFoundNames(kind, settled, { known: options, isAsked: isFull });
  return { all: isFull ? [...options, ...found] : options, onSearch: isFull ? setWanted : undefined };
}

type Common = { label: string; hint?: string; error?: string; isDisabled: boolean };

function NamedField({
  common,
  of,
  draft,
  at,
  value,
  write,
}: {
  common: Common;
  of: Named;
  draft: Draft;
  at: Path;
  value: string;
  write: (raw: string | undefined) => void;
}) {
  const connector = parsed(valueText(draft.text, draft.tree, [...at, 'connectorId']));
  const { may } = useHere();
  const { all, onSearch } = useChoices(of, typeof connector === 'string' ? connector : '');
  // Developers may name a connection, but not list the connections.
  if (of === 'connections' && !may('admin'))
    return (
      <WrittenField
        label={common.label}
        kind="plain"
        placeholder="cxn_…"
        raw={value === '' ? undefined : JSON.stringify(value)}
        onChange={write}
        field=""
        problems={[]}
        stepIds={[]}
        isReadOnly={common.isDisabled}
        isMono
      />
    );
  const known = all.some(([id]) => id === value) || value === '' ? all : [...all, [value, value] as const];
  const isOptional = of === 'connections';
  return (
    <SelectField
      {...common}
      value={value}
      placeholder={isOptional ? 'No connection' : 'Choose…'}
      options={[
        ...(isOptional ? [{ value: '', label: 'No connection' }] : []),
        ...known.map(([id, name]) => ({ value: id, label: name })),
      ]}
      onSearch={onSearch}
      onChange={(each) => write(each === '' ? undefined : JSON.stringify(each))}
    />
  );
}

/** Several channels by name: each is a token, and the list adds another one. */
function ChannelsField({
  common,
  chosen,
  empty,
  write,
}: {
  common: Common;
  chosen: readonly string[];
  empty: string;
  write: (raw: string | undefined) => void;
}) {
  const { all, onSearch } = useChoices('channels', '');
  const names = new Map(all);
  const set = (ids: readonly string[]): void => write(ids.length === 0 ? undefined : JSON.stringify(ids));
  return (
    <div className="flex flex-col gap-1.5">
      <SelectField
        {...common}
        value=""
        placeholder={chosen.length === 0 ? empty : 'Add a channel…'}
        options={all.filter(([id]) => !chosen.includes(id)).map(([id, name]) => ({ value: id, label: name }))}
        onSearch={onSearch}
        onChange={(id) => id !== '' && !chosen.includes(id) && set([...chosen, id])}
      />
      {chosen.length > 0 && (
        <ul className="flex flex-wrap gap-1" aria-label="Chosen channels">
          {chosen.map((id) => (
            <li key={id}>
              <button
                type="button"
                disabled={common.isDisabled}
                aria-label={`Remove ${names.get(id) ?? id}`}
                className="inline-flex h-6 items-center gap-1 rounded-4 bg-pending-soft px-1.75 text-12 hover:bg-pressed"
                onClick={() => set(chosen.filter((each) => each !== id))}
              >
                {names.get(id) ?? id}
                <span aria-hidden="true" className="text-text-3">
                  ×
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
