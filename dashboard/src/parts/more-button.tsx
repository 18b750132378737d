import { useTexts } from '../lib/texts.ts';

/** Reads the next page of a list that is no grid, where there is one. */
export function MoreButton({
  hasMore,
  isReading,
  onMore,
}: {
  hasMore: boolean;
  isReading: boolean;
  onMore: () => unknown;
}) {
  const t = useTexts();
  if (!hasMore) return null;
  return (
    <button type="button" className="button" disabled={isReading} onClick={() => void onMore()}>
      {t.list.more}
    </button>
  );
}
