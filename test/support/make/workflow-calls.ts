import { waitFor } from '../check/wait-for.ts';
import type { TestPosthorn } from '../service/posthorn.ts';

export type RunStepAnswer = {
  id: string;
  iteration: string;
  type: string;
  status: string;
  input?: unknown;
  output?: unknown;
  error?: { code: string; message: string };
  attempts: number;
  crashes?: number;
};
export type RunAnswer = {
  id: string;
  workflowId: string;
  status: string;
  trigger: { type: string; messageId?: string };
  error?: { code: string; message: string; stepId?: string };
  reason?: string;
  output?: unknown;
  steps: RunStepAnswer[];
};
export type Step = { id: string; type: string; config?: unknown; next?: string | null };

/** Config of a condition with its two branches. */
export const ways = (expression: string, yes: string, no: string | null = null) => ({
  expression,
  // oxlint-disable-next-line unicorn/no-thenable -- the field's public name
  then: yes,
  else: no,
});

const ENDED = ['completed', 'failed', 'cancelled', 'paused', 'skipped'];

/** Calls for workflows and their runs through the API of a test. */
export function workflowCalls(posthorn: Pick<TestPosthorn, 'request'>) {
  const good = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await posthorn.request<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const getRun = (id: string): Promise<RunAnswer> => good('GET', `/v1/runs/${id}`);
  const runsOf = async (workflowId: string): Promise<RunAnswer[]> =>
    (await good<{ data: RunAnswer[] }>('GET', `/v1/workflows/${workflowId}/runs?limit=100`)).data;

  return {
    good,
    getRun,
    runsOf,
    /** Creates an active workflow. */
    async activate(trigger: unknown, steps: readonly Step[]): Promise<string> {
      const { id } = await good<{ id: string }>('POST', '/v1/workflows', { name: 'test', trigger, steps });
      await good('POST', `/v1/workflows/${id}/activate`);
      return id;
    },
    async channel(): Promise<string> {
      return (await good<{ id: string }>('POST', '/v1/channels', { name: 'orders' })).id;
    },
    async publish(channelId: string, payload: unknown = {}, eventType = 'order.created'): Promise<string> {
      const message = { eventType, payload };
      return (await good<{ id: string }>('POST', `/v1/channels/${channelId}/messages`, message)).id;
    },
    start: (workflowId: string, payload: unknown = {}): Promise<RunAnswer> =>
      good('POST', `/v1/workflows/${workflowId}/runs`, { payload }),
    /** Returns the run once it has finished. */
    ended: (id: string): Promise<RunAnswer> =>
      waitFor(`run ${id} ends`, async () => {
        const run = await getRun(id);
        return ENDED.includes(run.status) && run;
      }),
    /** Returns the only run of a workflow, once it exists. */
    onlyRun: (workflowId: string): Promise<RunAnswer> =>
      waitFor(`a run of ${workflowId}`, async () => (await runsOf(workflowId))[0]),
  };
}

/** A step of a run by its id, outside loops unless it says otherwise. */
export function stepOf(run: RunAnswer, id: string, iteration = ''): RunStepAnswer {
  const step = run.steps.find((each) => each.id === id && each.iteration === iteration);
  if (step === undefined) throw new Error(`No step ${id} in ${JSON.stringify(run.steps)}`);
  return step;
}
