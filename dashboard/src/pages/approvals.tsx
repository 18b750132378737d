import { useQuery } from '@tanstack/react-query';
import { api, type Approval } from '../api/client.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Doer } from '../parts/doer.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { Views } from '../parts/views.tsx';

const STATUSES = ['approved', 'rejected', 'expired', 'cancelled'] as const;
const idOf = ({ id }: Approval): string => id;

/** Decisions that runs wait for. Open ones are what there is to do. */
export function ApprovalsPage() {
  const t = useTexts();
  const { at, path } = useHere();
  const [search] = useAddress();
  const status = search['status'] === 'all' ? undefined : (oneOf(search['status'], STATUSES) ?? 'open');
  const columns: readonly Column<Approval>[] = [
    { head: t.fields.status, width: '140px', cell: (row) => <ApprovalState of={row} /> },
    {
      head: t.approvals.question,
      width: 'minmax(200px, 2fr)',
      cell: (row) => <HereLink to={`/runs/${row.runId}`}>{row.title}</HereLink>,
    },
    { head: t.fields.made, width: '200px', cell: (row) => <Time at={row.createdAt} /> },
    { head: t.runs.decideUntil, width: '200px', cell: (row) => <Time at={row.expiresAt} /> },
    { head: t.approvals.by, width: 'minmax(120px, 1fr)', cell: (row) => <Decider of={row} /> },
  ];
  return (
    <>
      <Heading title={t.nav.names.approvals} />
      <Views page="approvals" filters={['status']} own={[]} />
      <Filters
        filters={[
          {
            name: 'status',
            label: t.fields.status,
            unset: t.approvals.states.open,
            options: [...STATUSES.map((each) => [each, t.approvals.states[each]] as const), ['all', t.list.allStates]],
          },
        ]}
      />
      <LiveList
        name={t.nav.names.approvals}
        kinds={['approval', 'run']}
        listKey={[path, 'approvals', status]}
        fetch={(cursor) => api.approvals.list({ status, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'approvals', path: '/v1/approvals', query: () => ({ status }), at }}
        columns={columns}
        leastWidth={900}
        empty={
          search['status'] === undefined ? (
            <Empty title={t.approvals.none}>
              <p>{t.approvals.noneWhy}</p>
              <HereLink to="/workflows" className="button main">
                {t.nav.names.workflows}
              </HereLink>
            </Empty>
          ) : (
            <NoneMatch filters={['status']} />
          )
        }
        panel={(id) => <ApprovalView id={id} />}
      />
    </>
  );
}

const ApprovalState = ({ of: { status } }: { of: Approval }) => {
  const t = useTexts();
  const look = { open: 'held', approved: 'delivered', rejected: 'failed', expired: 'pending', cancelled: 'pending' };
  return <State of={look[status]} word={t.approvals.states[status]} />;
};

function ApprovalView({ id }: { id: string }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const found = useQuery({ queryKey: [path, 'approval', id], queryFn: () => api.approvals.get(id, at) });
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  return (
    <>
      <h2>{row.title}</h2>
      <p className="sentence">
        <ApprovalState of={row} />
      </p>
      {row.message !== undefined && <p>{row.message}</p>}
      <div className="buttons">
        {row.status === 'open' && may('developer') ? (
          <HereLink to={`/runs/${row.runId}`} className="button main">
            {t.approvals.toDecide}
          </HereLink>
        ) : (
          <HereLink to={`/runs/${row.runId}`} className="button">
            {t.approvals.toRun}
          </HereLink>
        )}
      </div>
      <dl className="facts">
        <dt>{t.approvals.who}</dt>
        <dd>{row.approvers.length === 0 ? t.approvals.anybody : row.approvers.join(', ')}</dd>
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
        <dt>{t.runs.decideUntil}</dt>
        <dd>
          <Time at={row.expiresAt} />
        </dd>
        {row.decidedAt !== undefined && (
          <>
            <dt>{t.approvals.by}</dt>
            <dd>
              <Decider of={row} /> <Time at={row.decidedAt} />
            </dd>
          </>
        )}
        {row.comment !== undefined && (
          <>
            <dt>{t.runs.comment}</dt>
            <dd>{row.comment}</dd>
          </>
        )}
      </dl>
    </>
  );
}

const Decider = ({ of: { decidedBy } }: { of: Pick<Approval, 'decidedBy'> }) =>
  decidedBy === undefined ? null : <Doer id={decidedBy} />;
