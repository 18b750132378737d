import type { IncomingMessage } from 'node:http';
import { createShares } from '../../platform/rate-limits/counters.ts';

/** Answers that are held back at a time in one process: each keeps a connection of the service. */
export const HELD_AT_MOST = { inAll: 200, ofOrganisation: 50 };

const PROBLEMS = {
  own: `${HELD_AT_MOST.ofOrganisation} answers of inspectors of this organisation are held back already`,
  all: `${HELD_AT_MOST.inAll} answers of inspectors are held back already`,
};

/** The place of one answer. */
type HeldAnswer = {
  /** Takes the place, for an inspector of that organisation. A text says why there is none. */
  take(organisationId: string): string | undefined;
  /** Resolves after that time, or when the request's connection closes. */
  wait(ms: number, request: Pick<IncomingMessage, 'socket'>): Promise<void>;
  /** Gives the place back, if it was taken. */
  leave(): void;
};

export type HeldAnswers = {
  begin(): HeldAnswer;
  /** Ends every wait, and those to come. */
  end(): void;
};

/** The delays of inspectors' answers. One organisation cannot take the places of all. */
export function createHeldAnswers(): HeldAnswers {
  const waiting = new Set<() => void>();
  const shares = createShares({ inAll: HELD_AT_MOST.inAll, ofOne: HELD_AT_MOST.ofOrganisation });
  let isEnded = false;

  return {
    begin() {
      let taken: string | undefined;
      return {
        take(organisationId) {
          const which = shares.take(organisationId);
          if (which !== 'taken') return PROBLEMS[which];
          taken = organisationId;
          return undefined;
        },
        async wait(ms, { socket }) {
          if (isEnded || socket.destroyed) return;
          await new Promise<void>((resolve) => {
            const done = (): void => {
              clearTimeout(timer);
              waiting.delete(done);
              socket.off('close', done);
              resolve();
            };
            const timer = setTimeout(done, ms);
            waiting.add(done);
            socket.once('close', done);
          });
        },
        leave() {
          if (taken !== undefined) shares.give(taken);
          taken = undefined;
        },
      };
    },
    end() {
      isEnded = true;
      for (const done of waiting) done();
    },
  };
}
