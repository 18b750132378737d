import { Copy, Trash2, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { stepKind, triggerKind, withStepId, withStepKind, withTriggerKind } from '../../../lib/definition-edit.ts';
import {
  type DefinitionFields,
  namesOf,
  stepFields,
  STEPS,
  triggerFields,
  TRIGGERS,
} from '../../../lib/definition-fields.ts';
import { problemsAt, told, toldText } from '../../../lib/definition-problems.ts';
import { fieldWords } from '../../../lib/definition-words.ts';
import { type FlowStep, TRIGGER } from '../../../lib/flow-graph.ts';
import { nodeAt, type Path, valueText } from '../../../lib/json-edit.ts';
import { keepingOrder } from '../../../lib/flow-edit.ts';
import { ROLE_LOOKS, STEP_WORDS, stepWords, TRIGGER_WORDS, triggerWords } from '../../../lib/step-words.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Note } from '../../../ui/callout.tsx';
import type { Completions } from '../../../ui/code/completion.ts';
import { TextField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Fold } from '../../../ui/layout.tsx';
import { MoreMenu } from '../../../ui/menu.tsx';
import { SelectField } from '../../../ui/select.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { CasesField } from './cases-field.tsx';
import { FieldView } from './field-view.tsx';
import { FlowTab } from './flow-tab.tsx';
import { LastResult, type TestResult } from './last-result.tsx';
import { useCompletions } from './use-completions.ts';
import type { Draft } from './use-definition.ts';

type Given = {
  draft: Draft;
  /** The step, or the trigger. */
  selected: string;
  /** It was just added: its setup comes first, and empty fields do not count as problems yet. */
  isNew: boolean;
  workflowId: string | undefined;
  test: TestResult | undefined;
  onSelect: (key: string | undefined) => void;
  onRemove: (key: string) => void;
  onDuplicate: (key: string) => void;
};

/**
 * The selected step with all its parts. Each edit changes the definition's text, and whatever is not shown stays as it
 * is written.
 */
export function Inspector({ draft: given, selected, isNew, workflowId, test, onSelect, onRemove, onDuplicate }: Given) {
  const step = given.flow.steps.find(({ key }) => key === selected);
  const isTrigger = selected === TRIGGER;
  const [tab, setTab] = useState('setup');
  const completions = useCompletions(given.flow, selected);
  // If a field names the first transition of a plain list, all other steps keep their next steps.
  const problems = isNew ? [] : given.problems;
  const draft: Draft = { ...given, problems, change: (text, at) => given.change(keepingOrder(given.text, text), at) };
  useEffect(() => {
    if (test !== undefined) setTab('result');
  }, [test]);
  useEffect(() => {
    if (isNew) setTab('setup');
  }, [isNew, selected]);
  if (step === undefined && !isTrigger) return null;
  const words = step === undefined ? triggerWords(draft.flow.trigger.kind) : stepWords(step.kind);
  const shownTab = isTrigger && tab === 'flow' ? 'setup' : tab;
  return (
    <section aria-label={step === undefined ? 'Trigger' : `Step ${step.id}`} className="flex h-full min-h-0 flex-col">
      <header className="flex h-14 shrink-0 items-center gap-2.5 pr-3 pl-4">
        <span className={`grid size-6.5 shrink-0 place-items-center rounded-6 ${ROLE_LOOKS[words.role]}`}>
          <Icon of={words.icon} />
        </span>
        <div className="min-w-0 grow">
          <h2 className="truncate leading-4 font-medium">
            {step === undefined ? 'Trigger' : step.id === '' ? 'No ID' : step.id}
          </h2>
          <p className="truncate text-11 text-text-3">{words.name}</p>
        </div>
        {step !== undefined && !draft.isReadOnly && (
          <MoreMenu
            label="Step actions"
            size="small"
            groups={[
              {
                items: [
                  step.kind !== 'end' && {
                    label: 'Duplicate',
                    icon: Copy,
                    keys: '⌘D',
                    onSelect: () => onDuplicate(step.key),
                  },
                ],
              },
              {
                items: [
                  {
                    label: 'Delete step',
                    icon: Trash2,
                    keys: 'Del',
                    isDanger: true,
                    onSelect: () => onRemove(step.key),
                  },
                ],
              },
            ]}
          />
        )}
        <IconButton icon={X} label="Close" keys="Esc" size="small" onClick={() => onSelect(undefined)} />
      </header>
      <Tabs
        label={step === undefined ? 'Trigger' : 'Step'}
        value={shownTab}
        onChange={setTab}
        layout="panel"
        tabs={[
          { value: 'setup', label: 'Setup' },
          ...(step === undefined ? [] : [{ value: 'flow', label: 'Flow' }]),
          { value: 'result', label: 'Last result' },
        ]}
      >
        {shownTab === 'setup' &&
          (step === undefined ? (
            <TriggerSetup draft={draft} completions={completions} />
          ) : (
            <StepSetup key={step.key} draft={draft} step={step} completions={completions} onSelect={onSelect} />
          ))}
        {shownTab === 'flow' && step !== undefined && (
          <FlowTab key={step.key} draft={draft} step={step} completions={completions} />
        )}
        {shownTab === 'result' && <LastResult key={selected} step={step} workflowId={workflowId} test={test} />}
      </Tabs>
    </section>
  );
}

type Offered = { values: Completions; secrets: Completions };

function TriggerSetup({ draft, completions }: { draft: Draft; completions: Offered }) {
  const kind = triggerKind(draft.text, draft.tree);
  return (
    <div className="flex flex-col gap-3.5">
      <KindSelect
        label="Trigger"
        kind={kind}
        kinds={Object.keys(TRIGGERS)}
        words={TRIGGER_WORDS}
        error={firstAt(draft, 'trigger.type') ?? own(draft, 'trigger')}
        isReadOnly={draft.isReadOnly}
        onChange={(each) => draft.change(withTriggerKind(draft.text, each))}
      />
      <Fields
        draft={draft}
        at={['trigger']}
        atField="trigger"
        fields={triggerFields(kind)}
        known={['type', 'config']}
        completions={completions}
      />
    </div>
  );
}

function StepSetup({
  draft,
  step,
  completions,
  onSelect,
}: {
  draft: Draft;
  step: FlowStep;
  completions: Offered;
  onSelect: (key: string) => void;
}) {
  const at = ['steps', step.index];
  const atField = `steps[${step.index}]`;
  const kind = stepKind(draft.text, draft.tree, step.index);
  const fields = stepFields(kind);
  return (
    <div className="flex flex-col gap-3.5">
      <Fields
        draft={draft}
        at={at}
        atField={atField}
        fields={kind === 'switch' ? { ...fields, first: [] } : fields}
        known={['id', 'type', 'config', 'next']}
        completions={completions}
        first={kind === 'switch' && <CasesField draft={draft} step={step} completions={completions.values} />}
      >
        <div className="grid grid-cols-2 gap-2 border-t border-line pt-3.5">
          <IdField
            id={step.id}
            others={draft.stepIds.filter((_, other) => other !== step.index)}
            problem={firstAt(draft, `${atField}.id`)}
            isReadOnly={draft.isReadOnly}
            onChange={(id) => {
              draft.change(withStepId(draft.text, step.index, id));
              onSelect(id);
            }}
          />
          <KindSelect
            label="Type"
            kind={kind}
            kinds={Object.keys(STEPS)}
            words={STEP_WORDS}
            error={firstAt(draft, `${atField}.type`) ?? firstAt(draft, `${atField}.config.action`)}
            isReadOnly={draft.isReadOnly}
            onChange={(each) => draft.change(withStepKind(draft.text, step.index, each))}
          />
        </div>
      </Fields>
    </div>
  );
}

const firstAt = (draft: Draft, field: string): string | undefined => {
  const [first] = problemsAt(draft.problems, field);
  return first === undefined ? undefined : toldText(told(first, draft.stepIds));
};
const own = (draft: Draft, field: string): string | undefined => {
  const found = draft.problems.find((each) => each.field === field);
  return found === undefined ? undefined : toldText(told(found, draft.stepIds));
};

function KindSelect({
  label,
  kind,
  kinds,
  words,
  error,
  isReadOnly,
  onChange,
}: {
  label: string;
  kind: string;
  kinds: readonly string[];
  words: typeof STEP_WORDS;
  error: string | undefined;
  isReadOnly: boolean;
  onChange: (kind: string) => void;
}) {
  const all = kinds.includes(kind) || kind === '' ? kinds : [kind, ...kinds];
  return (
    <SelectField
      label={label}
      {...(error !== undefined && { error })}
      isDisabled={isReadOnly}
      value={kind}
      options={all.map((each) => ({ value: each, label: words[each]?.name ?? each, icon: words[each]?.icon }))}
      onChange={onChange}
    />
  );
}

/** Ids that a step may have (src/automations/definitions). */
const STEP_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The id takes effect when editing ends, because transitions of other steps follow it, and half a name leads nowhere.
 * An invalid id stays only in the field, and the step keeps its previous one, because its transitions could no longer
 * follow.
 */
function IdField({
  id,
  others,
  problem,
  isReadOnly,
  onChange,
}: {
  id: string;
  others: readonly string[];
  problem: string | undefined;
  isReadOnly: boolean;
  onChange: (id: string) => void;
}) {
  const [written, setWritten] = useState<{ of: string; text: string }>();
  const shown = written?.of === id ? written.text : id;
  const fault =
    shown === id
      ? undefined
      : !STEP_ID.test(shown)
        ? 'Use 1 to 64 letters, digits, - or _'
        : others.includes(shown)
          ? 'Another step has this ID'
          : undefined;
  const error = fault ?? problem;
  const take = (): void => {
    if (shown !== id && fault === undefined) onChange(shown);
  };
  return (
    <TextField
      label="ID"
      isMono
      value={shown}
      isDisabled={isReadOnly}
      {...(error !== undefined && { error })}
      onChange={(text) => setWritten({ of: id, text })}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && shown !== id) take();
      }}
    />
  );
}

type FieldsGiven = {
  draft: Draft;
  at: Path;
  atField: string;
  fields: DefinitionFields;
  /** Members outside the config that are shown elsewhere. */
  known: readonly string[];
  completions: Offered;
  first?: ReactNode;
  children?: ReactNode;
};

/**
 * The members of a trigger or a step, then everything that only the JSON shows, and the problems that no field shows.
 */
function Fields({ draft, at, atField, fields, known, completions, first, children }: FieldsGiven) {
  const config = [...at, 'config'];
  const view = (field: DefinitionFields['first'][number]) => (
    <FieldView
      key={field.name}
      draft={draft}
      field={field}
      at={config}
      atField={`${atField}.config`}
      completions={completions}
    />
  );
  const shown = namesOf(fields);
  const others = [
    ...membersAt(draft, at).filter((name) => !known.includes(name)),
    ...membersAt(draft, config).filter((name) => !shown.includes(name) && name !== 'action' && name !== 'cases'),
  ];
  const claimed = [
    ...known.filter((name) => name !== 'config'),
    'config.action',
    'config.cases',
    ...shown.map((name) => `config.${name}`),
  ];
  const elsewhere = problemsAt(draft.problems, atField).filter(
    (each) =>
      !(atField === 'trigger' && each.field === 'trigger') &&
      !claimed.some((name) => problemsAt([each], `${atField}.${name}`).length > 0),
  );
  const used = fields.more.filter(({ name }) => valueText(draft.text, draft.tree, [...config, name]) !== undefined);
  const isFaulty = fields.more.some(({ name }) => problemsAt(draft.problems, `${atField}.config.${name}`).length > 0);
  const [method, ...rest] = fields.first;
  const isRequest = method?.name === 'method' && rest[0]?.name === 'url';
  return (
    <>
      {elsewhere.map((each) => (
        <Note key={`${each.field} ${each.reason}`} kind="error">
          {each.field === atField ? '' : <code>{each.field.slice(atField.length + 1)}</code>}{' '}
          {toldText(told(each, draft.stepIds))}
        </Note>
      ))}
      {first}
      {isRequest ? (
        <>
          <div className="grid grid-cols-[100px_minmax(0,1fr)] items-start gap-2">
            {view(method)}
            {rest[0] !== undefined && view(rest[0])}
          </div>
          {rest.slice(1).map(view)}
        </>
      ) : (
        fields.first.map(view)
      )}
      {fields.more.length > 0 && (
        <Fold
          key={isFaulty ? 'open' : 'closed'}
          title="Advanced"
          isOpen={isFaulty}
          note={used.map(({ name }) => fieldWords(name).label).join(', ')}
        >
          <div className="flex flex-col gap-3.5 pb-1">{fields.more.map(view)}</div>
        </Fold>
      )}
      {others.length > 0 && (
        <p className="text-12 text-text-3">
          Only in the JSON: <code>{others.join(', ')}</code>
        </p>
      )}
      {children}
    </>
  );
}

function membersAt(draft: Draft, path: Path): string[] {
  const node = nodeAt(draft.tree, path);
  return node?.kind === 'object' ? node.members.map(({ name }) => name) : [];
}
