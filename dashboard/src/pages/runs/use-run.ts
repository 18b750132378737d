import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, type Run } from '../../api/client.ts';
import { type FlowGraph, flowOf, type FlowStep } from '../../lib/flow-graph.ts';
import { itemTexts, memberText } from '../../lib/raw-json.ts';
import { useWatch } from '../../lib/refresh.ts';
import { isRunOver, type ShownStep } from '../../lib/run-words.ts';
import { useHere } from '../../lib/session.ts';

/** A step that the run has reached, with its JSON, digit for digit. */
export type TakenStep = { key: string; step: ShownStep; text: string; kind: string };
export type RunView = {
  run: Run;
  definition: string;
  flow: FlowGraph | undefined;
  taken: readonly TakenStep[];
  /** Steps that the run may still reach. */
  ahead: readonly FlowStep[];
  /** JSON of the output of the `end` step. */
  output: string | undefined;
};

/** Returns a run with its steps, and polls while it is running. */
export function useRun(id: string) {
  const { at, path } = useHere();
  const watch = useWatch();
  const found = useQuery({
    queryKey: [path, 'run', id],
    queryFn: () => api.runs.get(id, at).withAnswer(),
    refetchInterval: ({ state: { data } }) =>
      watch({ seen: data?.text, isOver: data !== undefined && isRunOver(data.data) }),
  });
  const view = useMemo(() => found.data && viewOf(found.data.data, found.data.text), [found.data]);
  return { found, view };
}

const keyOf = ({ id, iteration, type }: ShownStep): string => `${id} ${iteration}${type === 'item' ? ' item' : ''}`;

function viewOf(run: Run, text: string): RunView {
  const definition = memberText(text, 'definition') ?? '{}';
  const flow = flowOf(definition);
  const texts = itemTexts(memberText(text, 'steps') ?? '[]');
  const kindOf = (id: string): string | undefined => flow?.steps.find((step) => step.id === id)?.kind;
  return {
    run,
    definition,
    flow,
    taken: run.steps.map((step, place) => ({
      key: keyOf(step),
      step,
      text: texts[place] ?? '{}',
      kind: step.type === 'item' ? 'item' : (kindOf(step.id) ?? step.type),
    })),
    ahead: flow === undefined || run.status === 'completed' ? [] : stepsAhead(flow, run),
    output: memberText(text, 'output'),
  };
}

/**
 * Returns the steps to which a transition leads from a step that has not completed. If the run has no steps yet: all of
 * them.
 */
function stepsAhead(flow: FlowGraph, run: Run): FlowStep[] {
  const taken = new Set(run.steps.map(({ id }) => id));
  const open = run.steps.flatMap(({ id, status }) =>
    status === 'completed' || status === 'skipped' ? [] : flow.steps.filter((step) => step.id === id),
  );
  const seen = new Set(open.map(({ key }) => key));
  const queue = [...seen];
  for (let from = queue.pop(); from !== undefined; from = queue.pop())
    for (const way of flow.ways)
      if (way.from === from && way.to !== undefined && !seen.has(way.to)) {
        seen.add(way.to);
        queue.push(way.to);
      }
  const isFresh = run.steps.length === 0;
  return flow.steps.filter(({ key, id }) => !taken.has(id) && (isFresh || seen.has(key)));
}

/** Returns the step to show first: the failed one, otherwise the running one, otherwise the last one. */
export function firstChosen({ run, taken }: RunView): TakenStep | undefined {
  const steps = taken.filter(({ step }) => step.type !== 'item');
  const failed = steps.filter(({ step }) => step.status === 'failed');
  const isOver = isRunOver(run);
  return (
    failed.findLast(({ step }) => step.id === run.error?.stepId) ??
    (run.status === 'completed' ? undefined : failed.at(-1)) ??
    (isOver ? undefined : steps.findLast(({ step }) => step.finishedAt === undefined)) ??
    steps.find(({ step }) => step.id === run.filteredBy) ??
    steps.at(-1)
  );
}

/** Returns the step that the address names. In a loop: its failed execution, otherwise its last one. */
export function namedStep(view: RunView, id: string | undefined, iteration: string | undefined): TakenStep | undefined {
  const own = view.taken.filter(
    ({ step }) => step.id === id && (iteration === undefined || step.iteration === iteration),
  );
  return (
    own.findLast(({ step }) => step.status === 'failed') ??
    own.findLast(({ step }) => step.type !== 'item') ??
    own.at(-1)
  );
}

/** Returns the message that started a run, with its JSON. */
export function useTriggerMessage(messageId: string | undefined) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'message-of-run', messageId],
    queryFn: () => api.messages.get(messageId ?? '', at).withAnswer(),
    enabled: messageId !== undefined,
    // A message removed by retention is not a failure of this page.
    meta: { failure: 'own' },
    retry: false,
    staleTime: 60_000,
  });
}

/** Returns the dead letters of the run, newest first: those of earlier failures stay when it is retried. */
export function useDeadLettersOf(run: Run | undefined) {
  const { at, path } = useHere();
  const isPossible = run !== undefined && run.status !== 'skipped';
  return useQuery({
    queryKey: [path, 'dead-letters-of-run', run?.id, run?.status, run?.finishedAt],
    queryFn: async () => {
      const page = await api.deadLetters
        .list(
          {
            kind: 'run',
            workflowId: run?.workflowId,
            messageId: run?.trigger.messageId,
            status: ['open', 'replayed', 'discarded'],
            since: run?.createdAt,
            limit: 100,
          },
          at,
        )
        .page();
      return page.data.filter(({ runId }) => runId === run?.id);
    },
    enabled: isPossible,
    meta: { failure: 'own' },
    retry: false,
  });
}
