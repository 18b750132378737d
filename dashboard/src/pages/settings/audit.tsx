import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import { api, type AuditEntry } from '../../api/client.ts';
import { AUDIT_ACTIONS } from '../../lib/audit-actions.ts';
import { oneOf, sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { useTimeFilters } from '../../parts/data-list/use-time-filters.ts';
import { ExportButton } from '../../parts/export-button.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { NoAccess } from '../../parts/no-access.tsx';
import { namedKindOf, useThingName } from '../../parts/thing-name.tsx';
import { useDoers } from '../../parts/use-doers.ts';
import { Page } from '../../shell/page.tsx';
import { TypeTag } from '../../ui/badge.tsx';
import { namedId } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Actor } from '../../parts/actor.tsx';
import { AuditPanel } from './audit-panel.tsx';

const FILTERS = ['action', 'actor', 'target', 'since', 'until'] as const;
const idOf = ({ id }: AuditEntry): string => id;
const isDoer = (text: string): boolean => /^(?:key|oac|usr)_\w{1,64}$/.test(text);
const isThing = (text: string): boolean => /^[a-z]{2,5}_\w{1,64}$/.test(text);
const targetText = (id: string): string => (isThing(id) ? namedId(id) : id);

/** The target of a change: its name if it is known here, otherwise its id. */
function Target({ id, known }: { id: string; known: string | undefined }) {
  const kind = namedKindOf(id);
  const name = useThingName({ kind: kind ?? 'channel', id: kind === undefined ? '' : id });
  if (known !== undefined || (kind !== undefined && name !== id)) return <span title={id}>{known ?? name}</span>;
  return <span className="mono text-text-2">{targetText(id)}</span>;
}

/** Who changed what in this organisation, newest first. */
export function AuditPage() {
  const { may } = useHere();
  return may('admin') ? <Audit /> : <NoAccess title="Audit log" role="admin" />;
}

function Audit() {
  const [search] = useAddress();
  const { organisation } = useHere();
  const doers = useDoers();
  const times = useTimeFilters();
  const [count, setCount] = useState<ListCount>();
  const filter = {
    action: oneOf(search['action'], AUDIT_ACTIONS),
    actorId: search['actor'],
    targetId: search['target'],
  };
  const { since, until } = search;
  const span = () => ({ since: sinceOf(since), until: sinceOf(until) });
  const at = { place: { organisationId: organisation.id } };
  const columns: readonly Column<AuditEntry>[] = [
    {
      key: 'action',
      head: 'Action',
      width: 180,
      cell: (row) => (
        <HereLink to="/audit" search={{ ...search, open: row.id }} isRow>
          <TypeTag>{row.action}</TypeTag>
        </HereLink>
      ),
    },
    { key: 'actor', head: 'Actor', width: 150, cell: (row) => <Actor of={row} /> },
    {
      key: 'target',
      head: 'Target',
      width: 120,
      rank: 1,
      cell: ({ target: { id } }) => <Target id={id} known={doers.find(([each]) => each === id)?.[1]} />,
    },
    {
      key: 'from',
      head: 'Address',
      width: 110,
      grow: 0,
      rank: 2,
      cell: ({ from }) => <span className="mono text-text-2">{from?.address}</span>,
    },
    { key: 'when', head: 'When', width: 92, grow: 0, isNumber: true, cell: (row) => <Ago at={row.at} /> },
  ];
  const choice = useColumnChoice('audit', columns);
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <Page
      title="Audit log"
      layout="settings-full"
      count={<ListCountText count={count} isFiltered={isFiltered} />}
      actions={
        <ExportButton
          of={{
            name: 'audit',
            path: '/v1/audit',
            query: () => ({ ...filter, ...span() }),
            take: () => api.audit.export({ ...filter, ...span() }, at),
            formats: ['ndjson'],
            command: { line: 'posthorn audit export > audit.ndjson', why: 'All organisations, without filters' },
          }}
        />
      }
    >
      <DataList<AuditEntry>
        name="Audit log"
        listKey={['audit', organisation.id, filter, since, until]}
        fetch={(cursor) => api.audit.list({ ...filter, ...span(), changes: 'false', limit: 100, cursor }, at).page()}
        idOf={idOf}
        columns={choice.shown}
        narrow={(row) => ({
          mark: <Icon of={ScrollText} isSmall className="text-text-3" />,
          what: <span className="mono">{row.action}</span>,
          when: <Ago at={row.at} />,
          where: <Actor of={row} />,
        })}
        above={
          <FilterLine
            hasTime
            views={{ page: 'audit', own: [] }}
            columns={{ all: columns as readonly Column<never>[], choice: choice as ReturnType<typeof useColumnChoice> }}
            filters={[
              { name: 'action', label: 'Action', options: AUDIT_ACTIONS.map((each) => [each, each] as const) },
              { name: 'actor', label: 'Actor', options: doers, accepts: isDoer },
              // Things of the environment are found by their names, and all others by their ids.
              { name: 'target', label: 'Target', options: doers, accepts: isThing, find: 'thing', isMore: true },
              ...times,
            ]}
          />
        }
        onCount={setCount}
        empty={<NothingMatches title="No entries match" filters={FILTERS} since={since} until={until} />}
        panelTitle="Audit entry"
        panel={(id) => <AuditPanel key={id} id={id} />}
      />
    </Page>
  );
}
