import { Check, Copy } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { useCopy } from '../ui/copy.tsx';

/** Copies the ids of selected rows, one per line. */
export function CopyIds({ rows }: { rows: readonly { id: string }[] }) {
  const [isCopied, copy] = useCopy();
  return (
    <Button size="small" icon={isCopied ? Check : Copy} onClick={() => copy(rows.map(({ id }) => id).join('\n'))}>
      Copy IDs
    </Button>
  );
}
