import type { TraceContext } from '../../kernel/values/trace-context.ts';
import type { Publication } from '../messages/publication.ts';

/** Spans of publishing. Each call returns undefined if the request is not recorded. */
export type PublishTracing = {
  /** Starts the span of a request's messages, from its check to its commit. They are stored with its `trace`. */
  publish(
    publications: readonly Publication[],
  ): { readonly trace: TraceContext; end(failure?: unknown): void } | undefined;
  /**
   * Starts the span of a group: a child of the first recorded request in it, linked with all others. `traces` are those
   * of the requests, as `publish` returned them. The returned function ends the span.
   */
  commit(traces: readonly (TraceContext | undefined)[]): ((failure?: unknown) => void) | undefined;
};

/** Wraps a commit with a span for each recorded request. */
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

/** Wraps the commit of a group with a span if one of its requests is recorded. */
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
