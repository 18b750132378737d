import { modifier } from '../lib/platform.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';

const SHORTCUTS: readonly (readonly [keys: string, what: string])[] = [
  [`${modifier}K`, 'Search, or go to any page or ID'],
  ['J', 'Next row'],
  ['K', 'Previous row'],
  ['Enter', 'Open in panel'],
  ['O', 'Open full page'],
  ['X', 'Select row'],
  ['R', 'Retry, or replay a dead letter'],
  ['F', 'Filter'],
  ['E', 'Failing only'],
  ['[ ]', 'Previous or next attempt'],
  ['L', 'Pause or resume auto-refresh'],
  ['Esc', 'Close'],
  ['G O', 'Overview'],
  ['G M', 'Messages'],
  ['G D', 'Deliveries'],
  ['G L', 'Dead letters'],
  ['G S', 'Subscriptions'],
  ['G C', 'Channels'],
  ['G W', 'Workflows'],
  ['G R', 'Runs'],
  [`${modifier}\\`, 'Collapse or expand navigation'],
  ['?', 'Keyboard shortcuts'],
];

/** Lists all keyboard shortcuts. Single keys can be switched off on the Account page. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} size="wide">
      <dl className="grid gap-x-8 md:columns-2 md:block">
        {SHORTCUTS.map(([keys, what]) => (
          <div key={keys} className="flex h-8 items-center gap-2 border-b border-line break-inside-avoid">
            <dt className="grow">{what}</dt>
            <dd className="flex gap-1">
              <span className="sr-only">{keys}</span>
              {keys.split(' ').map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
