import { type ReactNode, useEffect, useMemo, useState } from 'react';
import {
  stepKind,
  triggerKind,
  withNewStep,
  withStepId,
  withStepKind,
  withTriggerKind,
} from '../lib/definition-edit.ts';
import { isPlainList } from '../lib/definition-graph.ts';
import {
  type DefinitionFields,
  namesOf,
  STEPS,
  stepFields,
  TRIGGERS,
  triggerFields,
} from '../lib/definition-fields.ts';
import { nodeAt, type Path, valueText, withSwapped, withValue } from '../lib/json-edit.ts';
import { useTexts } from '../lib/texts.ts';
import { DefinitionFieldView, type Draft, problemsAt, StepField, WrittenField } from './definition-field.tsx';
import { ChoiceField, TextField } from './field.tsx';
import { State } from './state.tsx';

/** Ids that a step may have (src/automations/definitions). */
const STEP_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** So many steps are open at first: more are told by their ids and kinds. */
const MOST_OPEN = 3;

/** A definition as a form. Each change is one of its text: what the form does not know stays as it is written. */
export function DefinitionForm({ draft }: { draft: Draft }) {
  const t = useTexts();
  const kind = triggerKind(draft.text, draft.tree);
  const steps = nodeAt(draft.tree, ['steps']);
  const count = steps?.kind === 'array' ? steps.items.length : 0;
  const isOrdered = useMemo(() => isPlainList(draft.text) ?? false, [draft.text]);
  return (
    <div className="form">
      {(['name', 'description'] as const).map((name) => (
        <WrittenField
          key={name}
          kind="text"
          label={name === 'name' ? t.common.name : t.definition.fields.description}
          raw={valueText(draft.text, draft.tree, [name])}
          problem={problemsAt(draft.problems, name)[0]?.reason}
          isKept={name === 'name'}
          onChange={(raw) => draft.change(withValue(draft.text, [name], raw))}
        />
      ))}
      <section className="box stack" aria-label={t.workflows.trigger}>
        <h2>{t.workflows.trigger}</h2>
        <ChoiceField
          label={t.definition.begins}
          value={kind}
          problem={problemsAt(draft.problems, 'trigger.type')[0]?.reason}
          options={kindsOf(Object.keys(TRIGGERS), kind, t.definition.triggers)}
          onChange={(each) => draft.change(withTriggerKind(draft.text, each))}
        />
        <Config
          draft={draft}
          at={['trigger']}
          atField="trigger"
          fields={triggerFields(kind)}
          known={['type', 'config']}
        />
      </section>
      <ol className="stack" aria-label={t.workflows.steps}>
        {Array.from({ length: count }, (_, index) => (
          // Steps have no other name that stays while they are written.
          <StepForm key={index} draft={draft} index={index} count={count} isOrdered={isOrdered} />
        ))}
      </ol>
      <div className="buttons">
        <button type="button" className="button" onClick={() => draft.change(withNewStep(draft.text))}>
          {t.definition.addStep}
        </button>
      </div>
    </div>
  );
}

/** Kinds by their words; one that is not known here by its name. */
function kindsOf(known: readonly string[], kind: string, words: Readonly<Record<string, string>>): [string, string][] {
  const all = known.includes(kind) ? known : [kind, ...known];
  return all.map((each) => [each, words[each] ?? (each === '' ? '–' : each)]);
}

/** `isOrdered`: no step names another one, so that each goes on with the step below. */
function StepForm({
  draft,
  index,
  count,
  isOrdered,
}: {
  draft: Draft;
  index: number;
  count: number;
  isOrdered: boolean;
}) {
  const t = useTexts();
  const at = ['steps', index];
  const atField = `steps[${index}]`;
  const kind = stepKind(draft.text, draft.tree, index);
  const problems = problemsAt(draft.problems, atField);
  const [isOpen, setIsOpen] = useState(count <= MOST_OPEN);
  // A fault is shown where it is, also in a step that was closed.
  const isFaulty = problems.length > 0;
  useEffect(() => {
    if (isFaulty) setIsOpen(true);
  }, [isFaulty]);
  const id = draft.stepIds[index] ?? '';
  const words: Readonly<Record<string, string>> = t.definition.steps;
  return (
    <li>
      <details className="box attempt" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <strong>{id === '' ? t.definition.noId : id}</strong> <span className="muted">{words[kind] ?? kind}</span>{' '}
          {isFaulty && <State of="failed" word={t.definition.faults(problems.length)} />}
        </summary>
        <div className="stack">
          <div className="beside">
            <IdField
              id={id}
              others={draft.stepIds.filter((_, other) => other !== index)}
              problem={problemsAt(draft.problems, `${atField}.id`)[0]?.reason}
              onChange={(next) => draft.change(withStepId(draft.text, index, next))}
            />
            <ChoiceField
              label={t.fields.kind}
              value={kind}
              problem={
                [
                  ...problemsAt(draft.problems, `${atField}.type`),
                  ...problemsAt(draft.problems, `${atField}.config.action`),
                ][0]?.reason
              }
              options={kindsOf(Object.keys(STEPS), kind, words)}
              onChange={(each) => draft.change(withStepKind(draft.text, index, each))}
            />
          </div>
          <Config
            draft={draft}
            at={at}
            atField={atField}
            fields={stepFields(kind)}
            known={['id', 'type', 'config', 'next']}
          >
            <StepField
              label={t.definition.fields.next}
              problem={problemsAt(draft.problems, `${atField}.next`)[0]?.reason}
              raw={valueText(draft.text, draft.tree, [...at, 'next'])}
              onChange={(raw) => draft.change(withValue(draft.text, [...at, 'next'], raw))}
              draft={draft}
              own={at}
              words={[]}
              unset={isOrdered && index + 1 < count ? t.definition.goesOn : t.definition.ends}
            />
          </Config>
          <div className="buttons">
            <button
              type="button"
              className="button plain"
              disabled={index === 0}
              onClick={() => draft.change(withSwapped(draft.text, ['steps'], index, index - 1))}
            >
              {t.definition.up} <span className="sr-only">{id}</span>
            </button>
            <button
              type="button"
              className="button plain"
              disabled={index === count - 1}
              onClick={() => draft.change(withSwapped(draft.text, ['steps'], index, index + 1))}
            >
              {t.definition.down} <span className="sr-only">{id}</span>
            </button>
            <button
              type="button"
              className="button plain"
              onClick={() => draft.change(withValue(draft.text, at, undefined))}
            >
              {t.definition.remove} <span className="sr-only">{id}</span>
            </button>
          </div>
        </div>
      </details>
    </li>
  );
}

/**
 * The id is taken over once it is written: ways of other steps follow it, and half of a name leads nowhere. One that no step may have
 * stays in the field alone, and the step keeps the id before it: its ways could follow no longer.
 */
function IdField({
  id,
  others,
  problem,
  onChange,
}: {
  id: string;
  others: readonly string[];
  problem: string | undefined;
  onChange: (id: string) => void;
}) {
  const t = useTexts();
  const [written, setWritten] = useState<{ of: string; text: string }>();
  const shown = written?.of === id ? written.text : id;
  const fault =
    shown === id
      ? undefined
      : !STEP_ID.test(shown)
        ? t.definition.badId
        : others.includes(shown)
          ? t.definition.idTaken
          : undefined;
  const take = (): void => {
    if (shown !== id && fault === undefined) onChange(shown);
  };
  return (
    <div
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || shown === id) return;
        // Enter takes the id over, and saves nothing yet: what would be saved has the id before it.
        event.preventDefault();
        take();
      }}
    >
      <TextField
        label={t.fields.id}
        value={shown}
        problem={fault ?? problem}
        isCode
        onChange={(text) => setWritten({ of: id, text })}
      />
    </div>
  );
}

type ConfigGiven = {
  draft: Draft;
  at: Path;
  atField: string;
  fields: DefinitionFields;
  /** Members beside the config that the form shows elsewhere. */
  known: readonly string[];
  children?: ReactNode;
};

/** The members of a trigger or a step, then all that only the JSON shows, and the faults that no field shows. */
function Config({ draft, at, atField, fields, known, children }: ConfigGiven) {
  const t = useTexts();
  const config = [...at, 'config'];
  const view = (field: DefinitionFields['first'][number]) => (
    <DefinitionFieldView key={field.name} draft={draft} field={field} at={config} atField={`${atField}.config`} />
  );
  const shownConfig = namesOf(fields);
  const others = [
    ...membersAt(draft, at).filter((name) => !known.includes(name)),
    ...membersAt(draft, config)
      .filter((name) => !shownConfig.includes(name) && name !== 'action')
      .map((name) => `config.${name}`),
  ];
  const claimed = [
    ...known.filter((name) => name !== 'config'),
    'config.action',
    ...shownConfig.map((name) => `config.${name}`),
  ];
  const elsewhere = problemsAt(draft.problems, atField).filter(
    (each) => !claimed.some((name) => problemsAt([each], `${atField}.${name}`).length > 0),
  );
  const used = fields.more.filter(({ name }) => valueText(draft.text, draft.tree, [...config, name]) !== undefined);
  const isFaulty = fields.more.some(({ name }) => problemsAt(draft.problems, `${atField}.config.${name}`).length > 0);
  return (
    <>
      {elsewhere.map(({ field, reason }) => (
        <p key={`${field} ${reason}`} className="problem">
          {field === atField ? '' : `${field.slice(atField.length + 1)}: `}
          {reason}
        </p>
      ))}
      {fields.first.map(view)}
      {children}
      {fields.more.length > 0 && (
        <details open={isFaulty}>
          <summary>
            {t.definition.more}
            {used.length > 0 && <span className="muted">: {used.map(({ name }) => name).join(', ')}</span>}
          </summary>
          <div className="form more">{fields.more.map(view)}</div>
        </details>
      )}
      {others.length > 0 && (
        <p className="muted">
          {t.definition.onlyJson} <code>{others.join(', ')}</code>
        </p>
      )}
    </>
  );
}

function membersAt(draft: Draft, path: Path): string[] {
  const node = nodeAt(draft.tree, path);
  return node?.kind === 'object' ? node.members.map(({ name }) => name) : [];
}
