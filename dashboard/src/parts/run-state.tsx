import type { RunSummary, Trial } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { State } from './state.tsx';

/** The state of a run, or of a trial. One that a filter has ended did not do everything, and has a word of its own. */
export function RunState({ of: run }: { of: Pick<RunSummary, 'status' | 'filteredBy'> | Trial }) {
  const t = useTexts();
  return <State of={run.status} {...(run.filteredBy !== undefined && { word: t.runs.filtered })} />;
}
