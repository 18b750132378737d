import { lazy, Suspense, useDeferredValue, useMemo } from 'react';
import { definitionGraph } from '../lib/definition-graph.ts';
import { Waiting } from './waiting.tsx';

const WorkflowDiagram = lazy(() => import('./workflow-diagram.tsx'));

/** The diagram of a definition, while it is written too. Nothing where the text has no steps. */
export function Diagram({ text, states }: { text: string; states?: ReadonlyMap<string, string> }) {
  const written = useDeferredValue(text);
  const graph = useMemo(() => definitionGraph(written), [written]);
  if (graph === undefined) return null;
  return (
    <Suspense fallback={<Waiting />}>
      <WorkflowDiagram graph={graph} {...(states !== undefined && { states })} />
    </Suspense>
  );
}
