import type { TraceContext } from '../../kernel/values/trace-context.ts';
import type { Publication } from '../messages/publication.ts';

/** Spans of publishing. Each call is undefined where nothing of it is recorded. */
export type PublishTracing = {
  /** Begins the span of a request's messages, from its check to its commit. They are stored with its `trace`. */
  publish(
    publications: readonly Publication[],
  ): { readonly trace: TraceContext; end(failure?: unknown): void } | undefined;
  /**
   * Begins the span of a group: a step of the first recorded request in it, and linked with all others. `traces` are those of the
   * requests, as `publish` gave them. The returned function ends it.
   */
  commit(traces: readonly (TraceContext | undefined)[]): ((failure?: unknown) => void) | undefined;
};

/** The same commit, with a span for each request that is recorded. */
export function tracedCommit<U extends { publications: readonly Publication[] }, R>(
  commit: (unit: U) => Promise<R>,
  tracing: PublishTracing | undefined,
): typeof commit {
  if (tracing === undefined) return commit;
  return (unit) => {
    const span = tracing.publish(unit.publications);
    if (span === undefined) return commit(unit);
    const { trace } = span;
    return ending(span.end, () =>
      commit({ ...unit, publications: unit.publications.map((each) => ({ ...each, trace })) }),
    );
  };
}

/** The same commit of a group, with a span where one of its requests is recorded. */
export function tracedGroup<U extends { publications: readonly Publication[] }, R>(
  run: (units: readonly U[]) => Promise<R>,
  tracing: PublishTracing | undefined,
): typeof run {
  if (tracing === undefined) return run;
  return (units) => {
    const end = tracing.commit(units.map(({ publications }) => publications[0]?.trace));
    return end === undefined ? run(units) : ending(end, () => run(units));
  };
}

async function ending<R>(end: (failure?: unknown) => void, work: () => Promise<R>): Promise<R> {
  try {
    const result = await work();
    end();
    return result;
  } catch (failure) {
    end(failure);
    throw failure;
  }
}
