import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../api/client.ts';
import { type FlowGraph, stepsBefore, TRIGGER } from '../../../lib/flow-graph.ts';
import { payloadPaths } from '../../../lib/payload-paths.ts';
import { useHere } from '../../../lib/session.ts';
import type { CodeCompletion, Completions } from '../../../ui/code/completion.ts';
import { triggerChannels, triggerTypes } from '../../../lib/trigger-match.ts';
import { newestOfTrigger } from './trigger-messages.ts';

/** The members of a step's output, by its kind (docs/reference/workflow-definition.md). */
const OUTPUTS: Readonly<Record<string, readonly string[] | undefined>> = {
  'action:http': ['body', 'status', 'headers', 'latencyMs'],
  'action:publish': ['messageId'],
  'action:connector': ['body', 'status', 'latencyMs'],
  condition: ['result'],
  switch: ['case'],
  filter: ['passed'],
  delay: ['resumedAt'],
  wait_for_event: ['matched', 'event'],
  approval: ['decision', 'by', 'at', 'comment', 'data'],
  workflow: ['runId', 'output'],
  foreach: ['results', 'failed'],
};

const NAME = /^[A-Za-z_]\w*$/;

/** Names of values in the newest messages that start the workflow: `event.payload.total`. */
function usePayloadPaths(flow: FlowGraph): readonly string[] {
  const { at, path } = useHere();
  const { config, kind } = flow.trigger;
  const found = useQuery({
    queryKey: [path, 'payload-names', triggerChannels(flow), triggerTypes(flow)],
    queryFn: async () => {
      const newest = await newestOfTrigger(flow, 3, at);
      const messages = await Promise.all(newest.map(({ id }) => api.messages.get(id, at)));
      return payloadPaths(messages.map(({ payload }) => payload));
    },
    enabled: kind === 'event',
    staleTime: 60_000,
    retry: false,
  });
  return useMemo(() => {
    const ofSchedule = config['payload'];
    return kind === 'schedule' ? payloadPaths([ofSchedule]) : (found.data ?? []);
  }, [found.data, kind, config]);
}

/** Names of secrets, for users who may read them. */
function useSecretNames(): readonly string[] {
  const { at, path, may } = useHere();
  const found = useQuery({
    queryKey: [path, 'secret-names'],
    queryFn: async () => (await api.secrets.list({ limit: 100 }, at).page()).data.map(({ name }) => name),
    enabled: may('developer'),
    staleTime: 60_000,
    retry: false,
  });
  return found.data ?? [];
}

/**
 * Returns the names that an expression of a step may use: what started the run, the steps before it, variables and the
 * item of its loop. A filter of the trigger can use only the message.
 */
export function useCompletions(
  flow: FlowGraph,
  key: string | undefined,
): { values: Completions; secrets: Completions } {
  const paths = usePayloadPaths(flow);
  const secrets = useSecretNames();
  return useMemo(() => {
    const offered: CodeCompletion[] = [];
    const offer = (label: string, detail: string): void => void offered.push({ label, detail });
    if (key === TRIGGER || key === undefined) {
      for (const path of paths) offer(path.replace('.*', '[0]'), 'message');
      for (const name of ['payload', 'metadata', 'eventType', 'event.id', 'event.publishedAt']) offer(name, 'message');
    } else {
      for (const path of paths) offer(`event.${path.replace('.*', '[0]')}`, 'trigger');
      for (const name of ['payload', 'metadata', 'eventType', 'id', 'channelId', 'publishedAt'])
        offer(`event.${name}`, 'trigger');
      const step = flow.steps.find((each) => each.key === key);
      const before = stepsBefore(flow, key);
      for (const { id, kind, config } of before) {
        const name = NAME.test(id) ? `steps.${id}` : `steps["${id}"]`;
        const set = config['set'];
        const own = kind === 'transform' && typeof set === 'object' && set !== null ? Object.keys(set) : OUTPUTS[kind];
        for (const member of own ?? []) offer(`${name}.output.${member}`, 'step');
        offer(`${name}.output`, 'step');
        offer(`${name}.status`, 'step');
        offer(`${name}.error.message`, 'step');
      }
      for (const { kind, config } of before) {
        const assigned = config['assign'];
        if (kind === 'transform' && typeof assigned === 'object' && assigned !== null)
          for (const name of Object.keys(assigned)) offer(`vars.${name}`, 'variable');
      }
      if (step?.owner !== undefined) {
        offer('item', 'item of the loop');
        offer('index', 'its number, from 0');
      }
      for (const name of ['workflow.id', 'workflow.name', 'run.id', 'run.startedAt', 'run.now']) offer(name, 'run');
    }
    const withSecrets = [...secrets.map((name) => ({ label: `secrets.${name}`, detail: 'secret' })), ...offered];
    return { values: () => offered, secrets: () => withSecrets };
  }, [flow, key, paths, secrets]);
}
