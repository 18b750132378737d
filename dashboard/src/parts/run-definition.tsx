import type { Run } from '../api/client.ts';
import { memberText } from '../lib/raw-json.ts';
import { useTexts } from '../lib/texts.ts';
import { JsonText } from './code.tsx';
import { Diagram } from './diagram.tsx';
import { HereLink } from './link.tsx';

/** The definition that a run keeps, with how far its steps are. `text` is the answer's: numbers stay as their author wrote them. */
export function RunDefinition({ run, text }: { run: Run; text: string }) {
  const t = useTexts();
  const definition = memberText(text, 'definition') ?? '{}';
  return (
    <section className="section" aria-label={t.runs.thenTitle}>
      <h2>{t.runs.thenTitle}</h2>
      <p className="muted">
        {t.runs.asItWas(run.definitionVersion)} <HereLink to={`/workflows/${run.workflowId}`}>{t.runs.today}</HereLink>
      </p>
      <Diagram text={definition} states={statesOf(run.steps)} />
      <details>
        <summary>{t.workflows.definition}</summary>
        <JsonText json={definition} label={t.workflows.definition} />
      </details>
    </section>
  );
}

/** How far each step is. One that was taken several times has failed where one of them has. */
function statesOf(steps: Run['steps']): ReadonlyMap<string, string> {
  const taken = steps.filter(({ type }) => type !== 'item');
  const failed = taken.filter(({ status }) => status === 'failed');
  return new Map([...taken, ...failed].map(({ id, status }) => [id, status]));
}
