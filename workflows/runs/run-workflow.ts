import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  continueAsNew,
  isCancellation,
  patched,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { ApplicationFailureCategory, defineSearchAttributeKey } from '@temporalio/common';
import {
  endOf,
  type EndedRound,
  type EndRunInput,
  RUN_FAILURES,
  STEP_FAILED,
  type RunInput,
  type RunResult,
} from '../../src/kernel/contract/run-workflow.ts';
import { failureType } from '../failure-type.ts';
import { local } from './run-local.ts';
import { type ChainEnd, createRun } from './run-state.ts';
import { walkSteps } from './run-walk.ts';

/** The result in the Temporal UI. */
type Ended = { result: RunResult } & EndedRound;

/**
 * One round of a run: walks the steps of its outline. Every step is evaluated, done and recorded by one activity, which gives back the
 * way from it; steps that are recorded already are passed over on their ways. So a retry, a lost history and a full one go on at the same
 * place. A run that fails fails the Temporal workflow, so that the Temporal UI says so.
 */
export async function runWorkflow(input: RunInput): Promise<Ended> {
  try {
    const opened = await local('open the run').openRun(input);
    const run = createRun(input, opened, (first, iteration) => walkSteps(run, first, iteration));
    return await finish(input, await run.walk(opened.outline.entry, ''));
  } catch (failure) {
    if (failureType(failure) === RUN_FAILURES.superseded) {
      showState('superseded');
      return { result: 'superseded' };
    }
    if (failureType(failure) === RUN_FAILURES.failed) throw failure;
    const isCancelled = isCancellation(failure) || CancellationScope.current().consideredCancelled;
    const isOfActivity = failure instanceof ApplicationFailure || failure instanceof ActivityFailure;
    if (!isCancelled && !isOfActivity) throw failure;
    await CancellationScope.nonCancellable(() =>
      end({
        ...input,
        ...(isCancelled
          ? { status: 'cancelled', reason: 'cancelled in Temporal' }
          : {
              status: 'failed',
              error:
                isOfActivity && failureType(failure) === RUN_FAILURES.deadly
                  ? { code: 'CRASHED', message: deadlyMessage(failure) }
                  : { code: 'INTERNAL', message: 'a fault of the service; its log has the reason' },
            }),
      }),
    );
    showState(isCancelled ? 'cancelled' : 'failed');
    throw isCancelled && !isCancellation(failure) ? new CancelledFailure('the run was cancelled') : failure;
  }
}

/** The sentence of the activity that has given the run up. */
const deadlyMessage = (failure: ActivityFailure | ApplicationFailure): string =>
  (failure instanceof ActivityFailure ? failure.cause?.message : undefined) ?? failure.message;

async function finish(input: RunInput, way: ChainEnd): Promise<Ended> {
  if (way === 'again') return continueAsNew<typeof runWorkflow>(input);
  const status = way === 'pause' ? 'paused' : way === 'failure' ? 'failed' : (endOf(way) ?? 'completed');
  const ended = await end({ ...input, status });
  showState(ended?.filteredBy === undefined ? status : 'filtered');
  if (status === 'failed')
    throw ApplicationFailure.create({
      type: RUN_FAILURES.failed,
      message: STEP_FAILED,
      nonRetryable: true,
      // A workflow of a user that fails is not a fault of ours.
      category: ApplicationFailureCategory.BENIGN,
    });
  return { result: status, ...ended };
}

const STATE = defineSearchAttributeKey('PosthornState', 'KEYWORD');

/** The end of the round, for those who search in the Temporal UI. A run that was started without search attributes has none. */
function showState(state: RunResult | 'filtered'): void {
  const isSearchable = workflowInfo().typedSearchAttributes.get(STATE) !== undefined;
  // Runs of earlier releases have ended without this command.
  if (isSearchable && patched('shows-its-end')) upsertSearchAttributes([{ key: STATE, value: state }]);
}

/** A worker of an earlier release gave nothing. */
const end = (input: EndRunInput): Promise<EndedRound | undefined> => local('record the end').endRun(input);
