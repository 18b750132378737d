import { CircleStop, OctagonX, Plus, X } from 'lucide-react';
import { parsed } from '../../../lib/definition-edit.ts';
import { stepFields } from '../../../lib/definition-fields.ts';
import { problemsAt, told, toldText } from '../../../lib/definition-problems.ts';
import { withExplicitOrder, withSlot } from '../../../lib/flow-edit.ts';
import { type FlowStep, type FlowWay, flowLeadsTo } from '../../../lib/flow-graph.ts';
import { type Path, valueText, withValue } from '../../../lib/json-edit.ts';
import { stepWords } from '../../../lib/step-words.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import type { Completions } from '../../../ui/code/completion.ts';
import { type Option, SelectField } from '../../../ui/select.tsx';
import { TokenField } from '../../../ui/token-field.tsx';
import { FieldView } from './field-view.tsx';
import type { Draft } from './use-definition.ts';

type Given = { draft: Draft; step: FlowStep; completions: { values: Completions; secrets: Completions } };

/**
 * Where a step leads: its next step and branches, what a failure does, when it is skipped, and how often it is
 * attempted.
 */
export function FlowTab({ draft, step, completions }: Given) {
  const at = ['steps', step.index];
  const atField = `steps[${step.index}]`;
  const fields = stepFields(step.kind).flow.filter(({ kind }) => kind !== 'way');
  const way = (path: Path, label: string, more: Partial<WayGiven> = {}) => (
    <WaySelect key={path.join('.')} draft={draft} step={step} path={path} label={label} {...more} />
  );
  const ownNext = nextText(draft, step);
  const sameAsNext = `Same as next step (${ownNext})`;
  const { kind, config } = step;
  const size = (name: string): number => (Array.isArray(config[name]) ? (config[name] as unknown[]).length : 0);
  const ends = endWord(draft, step);
  const isImplied = ownNext !== ends && valueText(draft.text, draft.tree, [...at, 'next']) === undefined;
  return (
    <div className="flex flex-col gap-3.5">
      {kind === 'condition' && (
        <>
          {way(['config', 'then'], 'If true', { unset: sameAsNext, ends })}
          {way(['config', 'else'], 'If false', { unset: sameAsNext, ends })}
        </>
      )}
      {kind === 'switch' && (
        <>
          {Array.from({ length: size('cases') }, (_, index) =>
            way(['config', 'cases', index, 'next'], `Case ${index + 1}`, { ends }),
          )}
          {way(['config', 'default'], 'Default', { unset: sameAsNext, ends })}
        </>
      )}
      {kind === 'approval' && (
        <>
          {way(['config', 'approved'], 'If approved', { unset: sameAsNext, ends })}
          {way(['config', 'rejected'], 'If rejected', { unset: 'Fail the step', ends })}
        </>
      )}
      {kind === 'foreach' && way(['config', 'body'], 'First step of each item')}
      {kind === 'parallel' &&
        Array.from({ length: size('branches') }, (_, index) =>
          way(['config', 'branches', index], `Branch ${index + 1}`),
        )}
      {kind !== 'end' &&
        way(['next'], kind === 'wait_for_event' ? 'When received' : 'Next step', {
          // If no step names another one, the next step is the one below.
          unset: isImplied ? `Next in the list (${ownNext})` : ends,
          ...(isImplied && { ends }),
          hint: isDecided(step) ? 'Where branches lead that are set to “Same as next step”' : undefined,
        })}
      {kind === 'wait_for_event' &&
        way(['config', 'onTimeout'], 'On timeout', {
          unset: `Continue (${ownNext})`,
          words: [{ value: '"fail"', label: 'Fail the step', icon: OctagonX }],
        })}
      {kind === 'approval' && (
        <SelectField
          label="On timeout"
          isDisabled={draft.isReadOnly}
          value={typeof config['onTimeout'] === 'string' ? config['onTimeout'] : ''}
          options={[
            { value: '', label: 'Reject' },
            { value: 'approve', label: 'Approve' },
            { value: 'fail', label: 'Fail the step' },
          ]}
          onChange={(next) =>
            draft.change(
              withValue(draft.text, [...at, 'config', 'onTimeout'], next === '' ? undefined : JSON.stringify(next)),
            )
          }
        />
      )}
      {kind !== 'end' && <OnError draft={draft} step={step} />}
      {fields.length > 0 && <div className="border-t border-line" />}
      {fields.map((field) => (
        <FieldView
          key={field.name}
          draft={draft}
          field={field}
          at={[...at, 'config']}
          atField={`${atField}.config`}
          completions={completions}
        />
      ))}
    </div>
  );
}

const isDecided = ({ kind }: FlowStep): boolean => kind === 'condition' || kind === 'switch' || kind === 'approval';

const endWord = (draft: Draft, step: FlowStep): string => {
  const owner = draft.flow.steps.find(({ key }) => key === step.owner);
  if (owner === undefined) return 'End run';
  return owner.kind === 'parallel' ? 'End branch' : 'End item';
};

/** What an absent `next` means here: the step below if the list is plain, otherwise the end. */
function nextText(draft: Draft, step: FlowStep): string {
  const written = parsed(valueText(draft.text, draft.tree, ['steps', step.index, 'next']));
  if (typeof written === 'string' && written !== '') return written;
  const implied = draft.flow.ways.find(
    ({ from, isInner, slots }: FlowWay) =>
      from === step.key && !isInner && slots.some(({ followsNext }) => followsNext),
  );
  return implied?.to ?? endWord(draft, step);
}

type WayGiven = {
  draft: Draft;
  step: FlowStep;
  path: Path;
  label: string;
  /** What an absent value means. If absent itself, a value is required. */
  unset: string;
  /** What null means. */
  ends: string;
  words: readonly Option[];
  hint: string | undefined;
};

/** One transition of a step: to another step, to the end, or as another member says. */
function WaySelect({
  draft,
  step,
  path,
  label,
  unset,
  ends,
  words = [],
  hint,
}: Pick<WayGiven, 'draft' | 'step' | 'path' | 'label'> & Partial<WayGiven>) {
  const at = ['steps', step.index, ...path];
  const raw = valueText(draft.text, draft.tree, at);
  const value = parsed(raw);
  const field = `steps[${step.index}].${path
    .map((part) => (typeof part === 'number' ? `[${part}]` : part))
    .join('.')
    .replaceAll('.[', '[')}`;
  const problems = problemsAt(draft.problems, field);
  const isInner = path[1] === 'body' || path[1] === 'branches';
  const steps = stepOptions(draft, step, isInner);
  const known = [...words, ...steps];
  const chosen = raw === undefined || value === '' ? '' : raw === 'null' ? 'null' : JSON.stringify(value);
  const isUnknown = chosen !== '' && chosen !== 'null' && !known.some((option) => option.value === chosen);
  return (
    <SelectField
      label={label}
      {...(hint !== undefined && { hint })}
      {...(problems[0] !== undefined && { error: toldText(told(problems[0], draft.stepIds)) })}
      isDisabled={draft.isReadOnly}
      value={chosen}
      placeholder="Choose a step…"
      options={[
        ...(unset === undefined ? [] : [{ value: '', label: unset, icon: CircleStop }]),
        ...known,
        ...(isUnknown ? [{ value: chosen, label: String(value) }] : []),
        ...(ends !== undefined ? [{ value: 'null', label: ends, icon: CircleStop }] : []),
      ]}
      onChange={(next) => {
        const explicit = withExplicitOrder(draft.text);
        if (next === 'null') draft.change(withSlot(explicit, step.index, path, null));
        else draft.change(withValue(explicit, at, next === '' ? undefined : next));
      }}
    />
  );
}

/** Steps that a transition may lead to: none that leads back here, and none of another loop. */
function stepOptions(draft: Draft, step: FlowStep, isInner: boolean): Option[] {
  return draft.flow.steps.flatMap((each) => {
    if (each.id === '' || each.key === step.key || flowLeadsTo(draft.flow, each.key, step.key)) return [];
    const isNear = isInner ? each.owner === step.key || each.owner === step.owner : each.owner === step.owner;
    return isNear ? [{ value: JSON.stringify(each.id), label: each.id, icon: stepWords(each.kind).icon }] : [];
  });
}

/** What happens when the last attempt of a step has failed. */
function OnError({ draft, step }: { draft: Draft; step: FlowStep }) {
  const at = ['steps', step.index, 'config', 'onError'];
  const atField = `steps[${step.index}].config.onError`;
  const raw = valueText(draft.text, draft.tree, at);
  const value = parsed(raw);
  const entries = Array.isArray(value) ? (value as unknown[]) : [];
  const problems = problemsAt(draft.problems, atField);
  const isList = Array.isArray(value);
  const write = (next: string | undefined): void => draft.change(withValue(withExplicitOrder(draft.text), at, next));
  const first = stepOptions(draft, step, false)[0];
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label="On error"
        hint={isList ? 'The first row that names the error is taken. Other errors fail the run.' : retryHint(step)}
        {...(problems[0] !== undefined && { error: toldText(told(problems[0], draft.stepIds)) })}
        isDisabled={draft.isReadOnly}
        value={isList ? 'list' : typeof value === 'string' ? value : 'fail'}
        options={[
          { value: 'fail', label: 'Fail the run', icon: OctagonX },
          { value: 'continue', label: 'Continue with the next step' },
          { value: 'pause', label: 'Pause the run' },
          { value: 'list', label: 'Go to a step…' },
        ]}
        onChange={(next) =>
          write(
            next === 'fail'
              ? undefined
              : next === 'list'
                ? `[{ "errors": ["*"], "next": ${first?.value ?? '""'} }]`
                : JSON.stringify(next),
          )
        }
      />
      {entries.map((entry, index) => {
        const errors: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'errors') : undefined;
        const names = Array.isArray(errors) ? errors.filter((each): each is string => typeof each === 'string') : [];
        return (
          <div key={index} className="relative flex flex-col gap-2 rounded-8 border border-line-strong p-2.5">
            <TokenField
              label="Errors"
              values={names}
              placeholder="* for all, HTTP_4XX, TIMEOUT"
              isDisabled={draft.isReadOnly}
              onChange={(next) => draft.change(withValue(draft.text, [...at, index, 'errors'], JSON.stringify(next)))}
            />
            <WaySelect draft={draft} step={step} path={['config', 'onError', index, 'next']} label="Go to" />
            {!draft.isReadOnly && (
              <IconButton
                icon={X}
                label="Remove"
                size="small"
                className="absolute top-1 right-1"
                onClick={() =>
                  draft.change(
                    withSlot(withExplicitOrder(draft.text), step.index, ['config', 'onError', index, 'next'], null),
                  )
                }
              />
            )}
          </div>
        );
      })}
      {isList && !draft.isReadOnly && (
        <Button
          look="quiet"
          size="small"
          icon={Plus}
          className="self-start"
          onClick={() =>
            draft.change(
              withValue(draft.text, [...at, entries.length], `{ "errors": ["*"], "next": ${first?.value ?? '""'} }`),
            )
          }
        >
          Add errors
        </Button>
      )}
    </div>
  );
}

function retryHint({ kind, config }: FlowStep): string | undefined {
  if (!['action:http', 'action:publish', 'action:connector'].includes(kind)) return undefined;
  const policy = config['retryPolicy'];
  const most: unknown = typeof policy === 'object' && policy !== null ? Reflect.get(policy, 'maxRetries') : undefined;
  const retries = typeof most === 'number' ? most : 3;
  if (policy === undefined) return 'After 4 attempts within about 7 s';
  return retries === 0 ? 'After the first attempt' : `After ${retries + 1} attempts`;
}
