import { ChevronDown, Clock, Pin } from 'lucide-react';
import { useState } from 'react';
import { dateText } from '../../lib/format.ts';
import { isTime, sinceOf, useAddress } from '../../lib/search.ts';
import { useZoneName } from '../../lib/times.ts';
import { timeOfText, timeText } from '../../lib/zone-times.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useNow, useZone } from '../moment.tsx';
import { useMarkers } from '../use-markers.ts';

/** The spans that end now, and their names. */
export const SPANS = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
} as const;

const isSpan = (text: string): text is keyof typeof SPANS => text in SPANS;
/** Most markers to choose from. */
const SHOWN_MARKS = 5;

/**
 * The time range of a page, kept in `since` and `until` of its address: the last hours, since a marker, or between two
 * times. `usual`: the range if the address has none; if absent: any time.
 */
export function TimeRange({ usual }: { usual?: keyof typeof SPANS }) {
  const [search, change] = useAddress();
  const marks = useMarkers();
  const zone = useZone();
  const now = useNow();
  const [isCustom, setIsCustom] = useState(false);
  const { since, until } = search;
  const mark = until === undefined ? marks.find(({ at }) => at === since) : undefined;
  const fixed = (text: string | undefined): string | undefined => {
    const at = sinceOf(text);
    return at === undefined ? undefined : dateText(at, now, zone);
  };
  const chosen = since ?? usual;
  const name =
    mark !== undefined
      ? `Since ${mark.name}`
      : until === undefined && chosen !== undefined && isSpan(chosen)
        ? SPANS[chosen]
        : until === undefined && since === undefined
          ? 'Any time'
          : `${fixed(since) ?? 'Start'} – ${fixed(until) ?? 'now'}`;
  // A span that ends now would mean another span to whoever opens the address later.
  const isRelative = until === undefined && /^\d+[mhd]$/.test(chosen ?? '');
  const choose = (next: string): void => change({ since: next, until: '' });
  return (
    <>
      <Menu
        width={236}
        trigger={
          <Button icon={Clock} iconEnd={ChevronDown} label={`Time range: ${name}`} className="h-8.5">
            <span className="max-w-52 truncate">{name}</span>
          </Button>
        }
        groups={[
          {
            title: 'Time range',
            items: [
              ...(Object.entries(SPANS) as [keyof typeof SPANS, string][]).map(([span, label]) => ({
                label,
                isChecked: until === undefined && chosen === span,
                onSelect: () => choose(span === usual ? '' : span),
              })),
              usual === undefined && {
                label: 'Any time',
                isChecked: since === undefined && until === undefined,
                onSelect: () => choose(''),
              },
            ],
          },
          {
            title: 'Deployments',
            items: marks.slice(0, SHOWN_MARKS).map((each) => ({
              label: `Since ${each.name}`,
              isChecked: mark?.id === each.id,
              onSelect: () => choose(each.at),
            })),
          },
          {
            items: [
              { label: 'Custom range…', icon: Clock, onSelect: () => setIsCustom(true) },
              isRelative && {
                label: 'Use absolute times',
                icon: Pin,
                onSelect: () => change({ since: sinceOf(chosen) ?? '' }),
              },
            ],
          },
        ]}
      />
      {isCustom && <CustomRange onClose={() => setIsCustom(false)} />}
    </>
  );
}

/** Both ends of a range, to the second. An end without a time is open. */
function CustomRange({ onClose }: { onClose: () => void }) {
  const [search, change] = useAddress();
  const zone = useZone();
  const zoneName = useZoneName();
  const textOf = (text: string | undefined): string => {
    const at = sinceOf(text);
    return at === undefined ? '' : timeText(at, zone);
  };
  const [from, setFrom] = useState(() => textOf(search['since'] ?? '24h'));
  const [to, setTo] = useState(() => textOf(search['until']));
  const [since, until] = [timeOfText(from, zone), timeOfText(to, zone)];
  const isTurned = since !== undefined && until !== undefined && since >= until;
  const isFit = (from === '' || isTime(since ?? '')) && (to === '' || isTime(until ?? '')) && !isTurned;
  return (
    <Dialog
      title="Custom range"
      onClose={onClose}
      onSubmit={() => {
        if (!isFit) return;
        change({ since: since ?? '', until: until ?? '' });
        onClose();
      }}
      actions={<DialogButtons go="Apply" onCancel={onClose} isDisabled={!isFit} />}
    >
      <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
        <TextField
          label={`From (${zoneName})`}
          type="datetime-local"
          step={1}
          value={from}
          onChange={setFrom}
          hasFocus
        />
        <TextField
          label={`Until (${zoneName})`}
          type="datetime-local"
          step={1}
          value={to}
          onChange={setTo}
          error={isTurned ? 'Must be later than From' : undefined}
        />
      </div>
    </Dialog>
  );
}
