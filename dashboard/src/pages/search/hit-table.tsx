import { HIT_KINDS, type SearchHit } from '../../lib/hit-addresses.ts';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { FoundPlace, hitState, hitText, useFoundPlaces, valueOf } from '../../parts/search-hits.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';

const MATCHED: Readonly<Record<SearchHit['matched'], string>> = {
  id: 'ID',
  publisherId: 'External ID',
  eventType: 'Event type',
  name: 'Name',
  payload: 'Payload',
  everything: 'Newest',
};

/** Messages whose payloads are loaded, to show where the value is. */
const READ_FOR_PLACES = 12;

/** The results of a search; a row links to its page. */
export function HitTable({ hits, q }: { hits: readonly SearchHit[]; q: string }) {
  const go = useGo();
  const value = valueOf(q);
  const places = useFoundPlaces(hits, value, READ_FOR_PLACES);
  return (
    <div className="pt-4">
      <Table
        label="Results"
        rows={hits}
        keyOf={({ kind, id }) => `${kind} ${id}`}
        onOpen={(hit) => {
          const { to, search } = HIT_KINDS[hit.kind].addressOf(hit);
          go(to, search);
        }}
        columns={[
          {
            head: 'Result',
            cell: (hit) => {
              const { icon, name, addressOf } = HIT_KINDS[hit.kind];
              const { title, note } = hitText(hit);
              const place = places.get(hit.id);
              return (
                <span className="flex items-center gap-2">
                  <Icon of={icon} label={name} className="text-text-3" />
                  <HereLink
                    {...addressOf(hit)}
                    className="min-w-0 shrink-0 truncate font-medium hover:underline max-md:shrink"
                  >
                    {title}
                  </HereLink>
                  {place !== undefined && (
                    <span className="min-w-0 truncate text-text-2 max-md:hidden">
                      <FoundPlace of={{ ...place, value }} />
                    </span>
                  )}
                  {note !== undefined && <span className="shrink-0 text-text-2 max-md:hidden">{note}</span>}
                </span>
              );
            },
          },
          {
            head: 'Status',
            width: '140px',
            isWide: true,
            cell: (hit) => {
              const state = hitState(hit);
              return state === undefined ? (
                <span className="text-text-3">—</span>
              ) : (
                <Status tone={state.tone}>{state.word}</Status>
              );
            },
          },
          { head: 'Found by', width: '110px', isWide: true, cell: ({ matched }) => MATCHED[matched] },
          { head: 'ID', width: '90px', isWide: true, cell: ({ id }) => <CopyId id={id} /> },
          { head: 'Created', width: '110px', isNumber: true, cell: ({ at }) => <Ago at={at} /> },
        ]}
      />
    </div>
  );
}
