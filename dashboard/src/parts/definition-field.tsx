import { useState } from 'react';
import { parsed } from '../lib/definition-edit.ts';
import { type DefinitionField, EXAMPLES } from '../lib/definition-fields.ts';
import { type JsonSyntaxNode, type Path, valueText, withValue } from '../lib/json-edit.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { prettyText } from '../lib/raw-json.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { ChannelsField } from './channels-field.tsx';
import { ChoiceField, TextField } from './field.tsx';
import { FoundField } from './found-choice.tsx';
import { FULL } from './use-found.ts';
import { useNamed } from './use-named.ts';

/** A definition that is being written: its text is the only place where it is kept. `problems` are those of the service. */
export type Draft = {
  text: string;
  tree: JsonSyntaxNode | undefined;
  stepIds: readonly string[];
  problems: readonly { field: string; reason: string }[];
  change: (text: string) => void;
};

/** Problems of the value at a path, such as `steps[0].config`, and of all inside it. */
export function problemsAt(problems: Draft['problems'], field: string): Draft['problems'] {
  return problems.filter(
    (each) => each.field === field || each.field.startsWith(`${field}.`) || each.field.startsWith(`${field}[`),
  );
}

type Given = {
  draft: Draft;
  field: DefinitionField;
  /** The config that it belongs to, as a path and as the service writes it. */
  at: Path;
  atField: string;
};

/** One member of a config. A value that its kind cannot show is shown as the JSON that it is. */
export function DefinitionFieldView({ draft, field, at, atField }: Given) {
  const t = useTexts();
  const own = [...at, field.name];
  const ownText = valueText(draft.text, draft.tree, own);
  const isAlias = ownText === undefined && field.alias !== undefined;
  const alias = isAlias ? valueText(draft.text, draft.tree, [...at, field.alias ?? '']) : undefined;
  const raw = alias === undefined ? ownText : `[${alias}]`;
  const found = [field.name, field.alias].flatMap((name) =>
    name === undefined ? [] : problemsAt(draft.problems, `${atField}.${name}`),
  );
  const problem = found
    .map((each) =>
      each.field === `${atField}.${field.name}` ? each.reason : `${inside(each.field, atField)}: ${each.reason}`,
    )
    .join('; ');
  const names = t.definition.fields as Readonly<Record<string, string>>;
  const common = {
    label: names[field.label ?? field.name] ?? field.name,
    problem: problem === '' ? undefined : problem,
    raw,
    onChange: (value: string | undefined) => {
      const without = alias === undefined ? draft.text : withValue(draft.text, [...at, field.alias ?? ''], undefined);
      draft.change(withValue(without, own, value));
    },
  };
  const value = parsed(raw);
  const isText = value === undefined || typeof value === 'string';
  if (field.kind === 'choice' && isText)
    return <Choice {...common} options={field.options.map((each) => [each, each])} />;
  if (field.kind === 'flag' && (value === undefined || typeof value === 'boolean')) return <FlagField {...common} />;
  if (field.kind === 'step' && (isText || value === null))
    return <StepField {...common} draft={draft} own={at} words={field.words ?? []} unset={t.definition.asThen} />;
  if (field.kind === 'channels' && fits(field.kind, value))
    return <ChannelsField {...common} chosen={textsOf(value)} />;
  if (field.kind === 'named' && isText) return <NamedField {...common} of={field.of} draft={draft} at={at} />;
  return (
    <WrittenField
      {...common}
      kind={fits(field.kind, value) ? field.kind : 'json'}
      example={EXAMPLES[field.label ?? field.name]}
    />
  );
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

const inside = (field: string, atField: string): string => field.slice(atField.length + 1);

function fits(kind: DefinitionField['kind'], value: unknown): boolean {
  if (value === undefined) return true;
  if (kind === 'duration') return typeof value === 'string' || typeof value === 'number';
  if (kind === 'number') return typeof value === 'number';
  if (kind === 'list' || kind === 'channels')
    return Array.isArray(value) && value.every((each) => typeof each === 'string');
  return (kind === 'text' || kind === 'lines') && typeof value === 'string';
}

type Common = {
  label: string;
  problem: string | undefined;
  raw: string | undefined;
  onChange: (raw: string | undefined) => void;
};

function Choice({
  label,
  problem,
  raw,
  onChange,
  options,
}: Common & { options: readonly (readonly [string, string])[] }) {
  const value = parsed(raw);
  const chosen = typeof value === 'string' ? value : '';
  const all =
    options.some(([each]) => each === chosen) || chosen === '' ? options : [...options, [chosen, chosen] as const];
  return (
    <ChoiceField
      label={label}
      problem={problem}
      value={chosen}
      options={[['', '–'], ...all]}
      onChange={(each) => onChange(each === '' ? undefined : JSON.stringify(each))}
    />
  );
}

/** Things of the place of which there may be more than the newest hundred. */
const FOUND = { channels: 'channel', webhooks: 'webhook', workflows: 'workflow', connections: 'connection' } as const;

function NamedField({
  draft,
  at,
  of,
  ...common
}: Common & { draft: Draft; at: Path; of: Parameters<typeof useNamed>[0] }) {
  const connector = parsed(valueText(draft.text, draft.tree, [...at, 'connectorId']));
  const { may } = useHere();
  const options = useNamed(of, typeof connector === 'string' ? connector : '');
  // Developers may name a connection, and not read which ones there are.
  if (of === 'connections' && !may('admin')) return <WrittenField {...common} kind="text" example="cxn_…" />;
  const kind = of === 'connectors' || of === 'operations' ? undefined : FOUND[of];
  if (kind === undefined || options.length < FULL) return <Choice {...common} options={options} />;
  const { raw, onChange, ...shown } = common;
  const value = parsed(raw);
  return (
    <FoundField
      {...shown}
      kind={kind}
      isMore
      options={options}
      value={typeof value === 'string' ? value : ''}
      onChange={(each) => onChange(each === '' ? undefined : JSON.stringify(each))}
    />
  );
}

function FlagField({ label, problem, raw, onChange }: Common) {
  const t = useTexts();
  return (
    <ChoiceField
      label={label}
      problem={problem}
      value={raw ?? ''}
      options={[
        ['', '–'],
        ['true', t.definition.yes],
        ['false', t.definition.no],
      ]}
      onChange={(each) => onChange(each === '' ? undefined : each)}
    />
  );
}

/** A way to another step, to none, or to what a word says. */
export function StepField({
  label,
  problem,
  raw,
  onChange,
  draft,
  own,
  words,
  unset,
}: Common & { draft: Draft; own: Path; words: readonly string[]; unset: string }) {
  const t = useTexts();
  const ids = draft.stepIds.filter((id, index) => id !== '' && index !== own[1]);
  const value = parsed(raw);
  const known = [...words, ...ids];
  const all = typeof value === 'string' && !known.includes(value) ? [...known, value] : known;
  return (
    <ChoiceField
      label={label}
      problem={problem}
      value={raw === undefined || raw === 'null' ? (raw ?? '') : JSON.stringify(value)}
      options={[
        ['', unset],
        ...[...new Set(all)].map((each) => [JSON.stringify(each), each] as const),
        ['null', t.definition.ends],
      ]}
      onChange={(each) => onChange(each === '' ? undefined : each)}
    />
  );
}

type Writing = Common & {
  kind: 'text' | 'lines' | 'duration' | 'number' | 'list' | 'json' | DefinitionField['kind'];
  isKept?: boolean;
  /** Shown while nothing is written. */
  example?: string | undefined;
};

/**
 * A value that is written by hand. While it is being written its own text is shown, also one that is no value yet and so stands nowhere
 * else; a change of the definition from elsewhere takes its place.
 */
export function WrittenField({ label, problem, raw, onChange, kind, isKept = false, example }: Writing) {
  const t = useTexts();
  const [written, setWritten] = useState<{ shown: string; raw: string | undefined; problem?: string | undefined }>();
  const current = written?.raw === raw ? written : undefined;
  const isJson = kind === 'json';
  return (
    <TextField
      label={label}
      value={current?.shown ?? shownOf(kind, raw)}
      problem={current?.problem ?? problem}
      {...(example !== undefined && { placeholder: example })}
      isCode={isJson || kind === 'lines' || kind === 'duration'}
      {...((isJson || kind === 'lines') && { lines: linesOf(current?.shown ?? shownOf(kind, raw), isJson) })}
      onChange={(shown) => {
        const bad = isJson && shown.trim() !== '' ? jsonProblem(shown, t) : undefined;
        const next = bad === undefined ? rawOf(kind, shown, isKept) : raw;
        setWritten({ shown, raw: next, problem: bad });
        if (next !== raw) onChange(next);
      }}
    />
  );
}

const linesOf = (shown: string, isJson: boolean): number =>
  Math.min(12, Math.max(isJson ? 2 : 1, shown.split('\n').length));

function shownOf(kind: Writing['kind'], raw: string | undefined): string {
  if (raw === undefined) return '';
  if (kind === 'json') return prettyText(raw);
  const value = parsed(raw);
  if (kind === 'list' && Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : raw;
}

function rawOf(kind: Writing['kind'], shown: string, isKept: boolean): string | undefined {
  if (shown.trim() === '') return isKept ? '""' : undefined;
  if (kind === 'json') return shown.trim();
  if (kind === 'list') {
    const items = shown.split(',').map((each) => each.trim());
    return JSON.stringify(items.filter((each) => each !== ''));
  }
  if ((kind === 'number' || kind === 'duration') && /^(0|[1-9]\d{0,14})$/.test(shown.trim())) return shown.trim();
  return JSON.stringify(shown);
}
