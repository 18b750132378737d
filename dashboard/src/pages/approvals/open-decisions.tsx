import { useQuery } from '@tanstack/react-query';
import { api, type Approval } from '../../api/client.ts';
import { itemTexts, memberText } from '../../lib/raw-json.ts';
import { type Here, useHere } from '../../lib/session.ts';
import { Decision } from './decision.tsx';

export type OpenDecision = { row: Approval; form: string | undefined };

/** Decisions that wait, each with the JSON of its form. */
export async function readOpen(
  query: { runId?: string; cursor?: string | undefined },
  at: Here['at'],
): Promise<{ decisions: OpenDecision[]; cursor: string | undefined }> {
  const { data: page, text } = await api.approvals
    .list({ ...query, status: 'open', limit: 100 }, at)
    .page()
    .withAnswer();
  const texts = itemTexts(memberText(text, 'data') ?? '[]');
  return {
    decisions: page.data.map((row, place) => ({ row, form: memberText(texts[place] ?? '{}', 'form') })),
    cursor: page.pagination.cursor,
  };
}

/** Decisions that a run waits for, loaded together with the run. */
export function useOpenDecisions({ runId, isWaiting }: { runId: string; isWaiting: boolean }) {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'approvals', runId],
    queryFn: async () => (await readOpen({ runId }, at)).decisions,
    refetchInterval: isWaiting ? 3_000 : false,
  });
}

/** The decisions of a run, to be made on the run's page. */
export const OpenDecisions = ({ of: decisions = [] }: { of: readonly OpenDecision[] | undefined }) =>
  decisions.map(({ row, form }) => (
    <div key={row.id} className="max-w-180">
      <Decision of={row} form={form} />
    </div>
  ));
