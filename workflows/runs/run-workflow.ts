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

/** The result shown in the Temporal UI. */
type Ended = { result: RunResult } & EndedRound;

/**
 * One round of a run: executes the steps of its outline. One activity evaluates, executes and records each step and
 * returns its transition; steps that are already recorded are skipped. A retry, a lost history and a full one therefore
 * continue at the same place. A failed run fails the Temporal workflow so that the Temporal UI shows it.
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
                  : { code: 'INTERNAL', message: 'internal error; see the log of the service' },
            }),
      }),
    );
    showState(isCancelled ? 'cancelled' : 'failed');
    throw isCancelled && !isCancellation(failure) ? new CancelledFailure('the run was cancelled') : failure;
  }
}

/** The message of the activity that gave up the run. */
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
      // A failed workflow of a user is not an error of the service.
      category: ApplicationFailureCategory.BENIGN,
    });
  return { result: status, ...ended };
}

const STATE = defineSearchAttributeKey('PosthornState', 'KEYWORD');

/**
 * Shows the result of the round in the Temporal UI's search. A run that was started without search attributes has none.
 */
function showState(state: RunResult | 'filtered'): void {
  const isSearchable = workflowInfo().typedSearchAttributes.get(STATE) !== undefined;
  // Runs of earlier releases ended without this command.
  if (isSearchable && patched('shows-its-end')) upsertSearchAttributes([{ key: STATE, value: state }]);
}

/** A worker of an earlier release returns nothing. */
const end = (input: EndRunInput): Promise<EndedRound | undefined> => local('record the end').endRun(input);
