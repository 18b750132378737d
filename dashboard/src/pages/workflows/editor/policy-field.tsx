import { parsed } from '../../../lib/definition-edit.ts';
import { problemsAt, told, toldText } from '../../../lib/definition-problems.ts';
import { jsonTree, valueText, withValue } from '../../../lib/json-edit.ts';
import { TextField } from '../../../ui/field.tsx';
import { MillisecondsField } from '../../../ui/milliseconds-field.tsx';
import { TokenField } from '../../../ui/token-field.tsx';
import { WrittenField, type WrittenGiven } from './written-field.tsx';

const NUMBERS = ['maxRetries', 'initialDelay', 'maxDelay', 'backoffMultiplier'] as const;

/**
 * When a failed attempt of a step is retried: the fields of a subscription, and the errors that fail the step at once.
 */
export function PolicyField(
  given: Pick<WrittenGiven, 'raw' | 'onChange' | 'field' | 'problems' | 'stepIds' | 'isReadOnly'>,
) {
  const { raw, onChange, field, problems, stepIds, isReadOnly } = given;
  const value = parsed(raw) ?? {};
  const errors = memberOf(value, 'nonRetryableErrors') ?? [];
  const isKnown =
    typeof value === 'object' &&
    NUMBERS.every((name) => ['number', 'undefined'].includes(typeof memberOf(value, name))) &&
    isListOfTexts(errors);
  if (!isKnown) return <WrittenField label="Retry policy" kind="json" {...given} />;
  const text = raw ?? '{}';
  const write = (name: string, next: string | undefined): void => {
    const changed = withValue(text, [name], next);
    onChange(/^\{\s*\}$/.test(changed) ? undefined : changed);
  };
  const of = (name: (typeof NUMBERS)[number], label: string) => {
    const found = problemsAt(problems, `${field}.${name}`)[0];
    return {
      label,
      isDisabled: isReadOnly,
      value: valueText(text, jsonTree(text), [name]) ?? '',
      onChange: (next: string) => write(name, next.trim() === '' ? undefined : String(Number(next))),
      ...(found !== undefined && { error: toldText(told(found, stepIds)) }),
    };
  };
  const own = problems.find((each) => each.field === field);
  return (
    <fieldset className="flex min-w-0 flex-col gap-3.5">
      <legend className="mb-2 font-medium">Retry policy</legend>
      {own !== undefined && <p className="text-12 text-failed">{toldText(told(own, stepIds))}</p>}
      <div className="grid grid-cols-2 items-start gap-2">
        <TextField {...of('maxRetries', 'Max retries')} type="number" min={0} placeholder="3" inputMode="numeric" />
        <TextField
          {...of('backoffMultiplier', 'Backoff multiplier')}
          type="number"
          min={1}
          placeholder="2"
          inputMode="numeric"
        />
        <MillisecondsField {...of('initialDelay', 'Initial delay')} placeholder="1" />
        <MillisecondsField {...of('maxDelay', 'Max delay')} placeholder="60" />
      </div>
      <TokenField
        label="Errors without a retry"
        values={errors}
        placeholder="HTTP_503, TIMEOUT"
        isDisabled={isReadOnly}
        onChange={(next) => write('nonRetryableErrors', next.length === 0 ? undefined : JSON.stringify(next))}
      />
    </fieldset>
  );
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
