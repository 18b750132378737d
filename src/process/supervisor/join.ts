import { createAskingCounters } from '../../platform/rate-limits/shared-counters.ts';
import type { ProcessState } from '../../platform/readiness/readiness.ts';
import type { Siblings } from '../assembly/siblings.ts';
import type { ObservedProcess } from '../observed-process.ts';
import type { Assignment, ToProcess, ToSupervisor } from './messages.ts';

// A supervisor kills a process that is silent for 30 s.
const ALIVE_EVERY_MS = 2_000;

/** A service process's end of the pipe to its supervisor. */
export type Joined = {
  assignment: Assignment;
  siblings: Siblings;
  /** Reports what this process is waiting for, for the person at the terminal. */
  waits(sentence: string): void;
  /** From now on `observed` answers the supervisor's scrapes and probes. */
  onObserve(observed: ObservedProcess): void;
};

/** Reports to the supervisor why this process cannot start. Resolves once the message is sent. */
export const sayFailure = (sentence: string): Promise<void> =>
  new Promise((resolve) => tell({ kind: 'failed', sentence }, resolve));

/** Joins the supervisor; resolves with its assignment. `onStop` is called when it stops all processes. */
export function joinSupervisor(onStop: () => void): Promise<Joined> {
  let table: readonly ProcessState[] = [];
  const changes = new Map<number, () => void>();
  let lastChange = 0;
  const counters = createAskingCounters((batch) => tell({ kind: 'count', ...batch }));
  let keyChanged: Parameters<Siblings['onKeyChanged']>[0] = () => undefined;
  let observed: ObservedProcess | undefined;
  let died: Parameters<Siblings['onDeath']>[0] = () => undefined;
  let ownEndpoints: Parameters<Siblings['onOwnEndpoints']>[0] = () => undefined;

  const siblings: Omit<Siblings, 'isReplacement'> = {
    counters,
    table: () => table,
    forgetKey: (id) =>
      new Promise((resolve) => {
        lastChange += 1;
        changes.set(lastChange, resolve);
        tell({ kind: 'keyChanged', change: lastChange, id });
      }),
    onKeyChanged: (listener) => {
      keyChanged = listener;
    },
    claimsAs: (incarnationId) => tell({ kind: 'claims', incarnationId }),
    onDeath: (listener) => {
      died = listener;
    },
    onOwnEndpoints: (listener) => {
      ownEndpoints = listener;
    },
    isReady: (port) => tell({ kind: 'ready', port }),
  };

  return new Promise((resolve) => {
    const hear = (message: ToProcess): void => {
      switch (message.kind) {
        case 'begin': {
          const { assignment } = message;
          const all = { ...siblings, isReplacement: assignment.isReplacement };
          return resolve({
            assignment,
            siblings: all,
            waits: (sentence) => tell({ kind: 'waits', sentence }),
            onObserve: (process) => {
              observed = process;
            },
          });
        }
        case 'stop':
          return onStop();
        case 'table':
          table = message.table;
          return;
        case 'counted':
          return counters.hear(message.batch, message.answers);
        case 'sayCounts':
          counters.flush();
          return tell({ kind: 'done', question: message.question });
        case 'observe':
          return void answerObserver(observed, message).then(tell);
        case 'forgetKey':
          keyChanged(message.id);
          return tell({ kind: 'done', question: message.question });
        case 'keyForgotten':
          changes.get(message.change)?.();
          changes.delete(message.change);
          return;
        case 'died':
          return died(message.incarnationId);
        case 'own':
          return ownEndpoints(message.endpoints);
      }
    };
    process.on('message', hear);
    tell({ kind: 'joined' });
    setInterval(() => tell({ kind: 'alive' }), ALIVE_EVERY_MS).unref();
  });
}

async function answerObserver(
  observed: ObservedProcess | undefined,
  { question, what }: Extract<ToProcess, { kind: 'observe' }>,
): Promise<ToSupervisor> {
  try {
    if (observed === undefined) return { kind: 'observed', question };
    if (what === 'readiness') return { kind: 'observed', question, ready: await observed.ready() };
    return { kind: 'observed', question, page: await observed.page(what === 'metrics and database') };
  } catch {
    // The supervisor keeps the last metrics of this process.
    return { kind: 'observed', question };
  }
}

/** The channel may close at any moment, and this process then ends (roles/serving/stop-request.ts). */
function tell(message: ToSupervisor, onSaid: () => void = () => undefined): void {
  if (process.send === undefined)
    throw new Error('Only a supervisor can start a service process; run posthorn instead');
  process.send(message, undefined, undefined, onSaid);
}
