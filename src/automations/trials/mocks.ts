import { stepKey, type StepInput } from '../../kernel/contract/run-workflow.ts';
import { parsePayload } from '../../messaging/filters/payload.ts';
import { invalidFields, type ErrorDetails } from '../../kernel/errors.ts';
import { memberSpan, memberSpans, wholeSpan } from '../../kernel/values/exact-json.ts';
import { fieldPath } from '../../kernel/values/text.ts';
import type { PlannedStep } from '../definitions/configs/planned.ts';
import type { ActionKind } from '../engine/attempt-step.ts';
import { StepFailed } from '../engine/step-failure.ts';
import type { TestWorkflow } from './schema.ts';

type Mock = { output: unknown } | { error: { code: string; message: string } };

/** Results that replace effects. */
export type Mocks = {
  /**
   * Returns the action kind with its own preparation, so that the author sees what would be sent, but without the
   * effect.
   */
  standIn(kind: ActionKind, input: StepInput): ActionKind;
  /** Returns where the result of a step comes from; undefined if the step was executed. */
  originOf(key: string): 'given' | 'invented' | undefined;
};

/** Whether a step has effects outside the record of its run, or waits for something outside it. */
const hasEffects = (step: PlannedStep): boolean =>
  step.type === 'wait_for_event' ||
  step.type === 'approval' ||
  step.type === 'workflow' ||
  (step.type === 'action' && step.action !== 'log');

const isDecided = (output: unknown): boolean =>
  typeof output === 'object' &&
  output !== null &&
  /^(approved|rejected)$/.test(String(Reflect.get(output, 'decision')));

/** Returns the result of a step without a mock. */
function invented(step: PlannedStep & { type: 'action' }): unknown {
  if (step.action === 'publish') return { messageId: 'msg_00000000000000000000000000' };
  return { status: 200, headers: {}, body: null, latencyMs: 0 };
}

/**
 * Creates mocks by step id, with outputs kept digit for digit. Throws INVALID_REQUEST for a step that does not exist or
 * has no effects, and for an approval whose output has no decision.
 */
export function createMocks(
  given: NonNullable<TestWorkflow['mocks']>,
  bodyText: string,
  steps: ReadonlyMap<string, PlannedStep>,
): Mocks {
  const problems = Object.entries(given).flatMap(([id, mock]): ErrorDetails[] => {
    const step = steps.get(id);
    const field = fieldPath(['mocks', id]);
    if (step === undefined) return [{ field, reason: 'must be the id of a step of the workflow' }];
    if (!hasEffects(step))
      return [{ field, reason: `must be a step with effects; a step of the type ${step.type} is executed` }];
    return step.type === 'approval' && mock.error === undefined && !isDecided(mock.output)
      ? [{ field: fieldPath(['mocks', id, 'output', 'decision']), reason: 'must be approved or rejected' }]
      : [];
  });
  const [first, ...others] = problems;
  if (first !== undefined) throw invalidFields([first, ...others]);
  const spans = outputsIn(given, bodyText);
  const mocks = new Map(Object.entries(given).map(([id, mock]) => [id, exactly(mock, bodyText, spans.get(id))]));
  const origins = new Map<string, 'given' | 'invented'>();

  return {
    standIn: (kind, { stepId, iteration }) => ({
      ...kind,
      perform(prepared, loaded, key, outside) {
        const { step } = loaded;
        const mock = mocks.get(stepId);
        origins.set(stepKey(stepId, iteration), mock === undefined ? 'invented' : 'given');
        if (mock === undefined)
          return step.type === 'action'
            ? Promise.resolve(invented(step))
            : kind.perform(prepared, loaded, key, outside);
        return 'error' in mock
          ? Promise.reject(new StepFailed(mock.error.code, mock.error.message))
          : Promise.resolve(mock.output);
      },
    }),
    originOf: (key) => origins.get(key),
  };
}

/** Finds each mock's output in the body. Reads each level once, because the body may have 5 MiB and 100 mocks. */
function outputsIn(given: NonNullable<TestWorkflow['mocks']>, bodyText: string): Map<string, OutputSpan> {
  const all = bodyText === '' ? undefined : memberSpan(bodyText, wholeSpan(bodyText), 'mocks');
  const mocks = all === undefined ? [] : [...memberSpans(bodyText, all)].filter(([id]) => Object.hasOwn(given, id));
  return new Map(mocks.map(([id, span]) => [id, memberSpan(bodyText, span, 'output')]));
}

type OutputSpan = ReturnType<typeof memberSpan>;

function exactly({ error }: NonNullable<TestWorkflow['mocks']>[string], bodyText: string, output: OutputSpan): Mock {
  if (error !== undefined) return { error };
  return { output: output === undefined ? null : parsePayload(bodyText.slice(output.start, output.end)) };
}
