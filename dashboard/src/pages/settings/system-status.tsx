import { useQuery } from '@tanstack/react-query';
import { api, isApiError, type Service } from '../../api/client.ts';
import { countText, durationText, sizeText } from '../../lib/format.ts';
import { useHere } from '../../lib/session.ts';
import { FailureNote, NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { NoAccess } from '../../parts/no-access.tsx';
import { Page } from '../../shell/page.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { OperatorsOnly } from './operators-only.tsx';

const EVERY_MS = 10_000;

const VERDICTS: Readonly<Record<Service['verdict'], { tone: Tone; title: string }>> = {
  healthy: { tone: 'delivered', title: 'All systems normal' },
  degraded: { tone: 'retrying', title: 'Degraded' },
  down: { tone: 'failed', title: 'Down' },
};

const CHECKS: Readonly<Record<Service['checks'][number]['state'], { tone: Tone; word: string }>> = {
  up: { tone: 'delivered', word: 'Healthy' },
  late: { tone: 'retrying', word: 'Delayed' },
  down: { tone: 'failed', word: 'Down' },
  unknown: { tone: 'pending', word: 'Unknown' },
};

const DUE_WORDS: Readonly<Record<Service['due'][number]['state'], string>> = {
  first_attempt: 'First attempts',
  retry: 'Retries',
  claimed: 'In flight',
  blocked: 'On hold',
};

/** Vacuum is behind if the dead rows exceed a fifth of the live ones and are not just a few. */
const isBehind = ({ liveRows, deadRows }: { liveRows: number; deadRows: number }): boolean =>
  deadRows > 10_000 && deadRows > liveRows / 5;

/**
 * The status of Posthorn itself: whether it is healthy and why not, what is running, how far it is behind, and how much
 * it stores.
 */
export function SystemStatusPage() {
  const { may } = useHere();
  return may('admin') ? <SystemStatus /> : <NoAccess title="System status" role="admin" />;
}

function SystemStatus() {
  const { organisation } = useHere();
  const found = useQuery({
    queryKey: ['service', organisation.id],
    queryFn: () => api.service.get({ place: { organisationId: organisation.id } }),
    refetchInterval: EVERY_MS,
    retry: false,
    meta: { failure: 'own' },
  });
  if (isApiError(found.error, 'FORBIDDEN')) return <OperatorsOnly title="System status" />;
  return (
    <Page title="System status" layout="settings">
      {found.data === undefined ? (
        <NotRead of={found} />
      ) : (
        <div className="flex flex-col gap-7">
          <FailureNote error={found.error} onRetry={() => void found.refetch()} />
          <Health of={found.data} />
          <div className="grid gap-x-8 gap-y-7 xl:grid-cols-2">
            <div className="flex min-w-0 flex-col gap-7">
              <Workers of={found.data} />
              <Backlog of={found.data} />
              <Checks of={found.data} />
              <Versions of={found.data} />
            </div>
            <Database of={found.data} />
          </div>
        </div>
      )}
    </Page>
  );
}

/** The overall status in one line, and every reason why it is not good. */
function Health({ of: { verdict, reasons, lookedAt } }: { of: Service }) {
  const { tone, title } = VERDICTS[verdict];
  const updated = (
    <span className="text-12 text-text-2">
      Updated <Ago at={lookedAt} />
    </span>
  );
  const [only] = reasons;
  return (
    <div className="flex flex-col gap-3">
      <Callout label="Health" tone={tone} title={title} actions={updated}>
        {reasons.length === 1 && only?.message}
      </Callout>
      {reasons.length > 1 && (
        <ul aria-label="Reasons" className="rounded-8 border border-line-strong">
          {reasons.map((reason) => (
            <li
              key={reason.code}
              className="flex min-h-row items-start gap-2 border-line px-3.5 py-2 not-last:border-b"
            >
              <Status tone={VERDICTS[reason.verdict].tone}>{VERDICTS[reason.verdict].title}</Status>
              <span className="min-w-0 [overflow-wrap:anywhere]">{reason.message}</span>
            </li>
          ))}
        </ul>
      )}
      <p className="text-text-2">
        This is Posthorn itself. Endpoints and workflows that fail are on the{' '}
        <HereLink to="/overview" className="text-accent underline">
          overview
        </HereLink>
        .
      </p>
    </div>
  );
}

function Workers({ of: { workers } }: { of: Service }) {
  return (
    <Section title="Workers">
      <Table
        label="Workers"
        rows={workers}
        keyOf={({ id }) => id}
        empty="No workers online. Nothing is being delivered. Start one with posthorn worker."
        columns={[
          {
            head: 'Status',
            width: '112px',
            cell: ({ isAlive, reachesTemporal }) =>
              !isAlive ? (
                <Status tone="failed">Offline</Status>
              ) : reachesTemporal ? (
                <Status tone="delivered">Online</Status>
              ) : (
                <Status tone="retrying">No Temporal</Status>
              ),
          },
          {
            head: 'Host',
            cell: ({ host = 'Unknown', pid }) => (
              <span className="mono">
                {host}
                {pid !== undefined && <span className="text-text-2"> · {pid}</span>}
              </span>
            ),
          },
          { head: 'Heartbeat', width: '84px', isNumber: true, cell: ({ renewedAt }) => <Ago at={renewedAt} /> },
          {
            head: 'Started',
            width: '100px',
            isNumber: true,
            isWide: true,
            cell: ({ startedAt }) => <Ago at={startedAt} />,
          },
        ]}
      />
    </Section>
  );
}

function Backlog({ of: { due, oldestScheduledForMs } }: { of: Service }) {
  const rows = [
    ...due.map(({ state, deliveries, oldestDueForMs }) => ({
      what: DUE_WORDS[state],
      count: countText(deliveries),
      oldestMs: oldestDueForMs,
    })),
    ...(oldestScheduledForMs > 0 ? [{ what: 'Scheduled messages', count: '—', oldestMs: oldestScheduledForMs }] : []),
  ];
  return (
    <Section title="Backlog">
      <Table
        label="Backlog"
        rows={rows}
        keyOf={({ what }) => what}
        empty="Empty"
        columns={[
          { head: 'Due now', cell: ({ what }) => what },
          { head: 'Deliveries', width: '110px', isNumber: true, cell: ({ count }) => count },
          { head: 'Oldest', width: '120px', isNumber: true, cell: ({ oldestMs }) => durationText(oldestMs) },
        ]}
      />
      {due.some(({ state }) => state === 'blocked') && (
        <p className="mt-1.5 text-12 text-text-2">On hold: their subscriptions are paused or disabled</p>
      )}
    </Section>
  );
}

function Checks({ of: { checks } }: { of: Service }) {
  return (
    <Section title="Checks">
      <Table
        label="Checks"
        rows={checks}
        keyOf={({ name }) => name}
        columns={[
          {
            head: 'Status',
            width: '112px',
            cell: ({ state }) => <Status tone={CHECKS[state].tone}>{CHECKS[state].word}</Status>,
          },
          {
            head: 'Component',
            className: 'whitespace-normal [overflow-wrap:anywhere]',
            cell: ({ name, reason }) => (
              <>
                {componentName(name)}
                {reason !== undefined && <span className="block text-12 text-text-2">{reason}</span>}
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}

/** What a check covers, as a label. */
const componentName = (name: string): string => {
  const known: Readonly<Record<string, string>> = {
    postgresql: 'PostgreSQL',
    postgres: 'PostgreSQL',
    rowSecurity: 'Row-level security',
  };
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return known[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
};

function Database({ of: { tables } }: { of: Service }) {
  return (
    <Section title="Database">
      <Table
        label="Largest tables"
        rows={tables}
        keyOf={({ name }) => name}
        empty="Unknown"
        columns={[
          { head: 'Table', cell: ({ name }) => <code>{name}</code> },
          { head: 'Size', width: '84px', isNumber: true, cell: ({ bytes }) => sizeText(bytes) },
          { head: 'Rows (estimate)', width: '118px', isNumber: true, cell: ({ liveRows }) => countText(liveRows) },
          {
            head: 'Dead rows',
            width: '92px',
            isNumber: true,
            isWide: true,
            cell: (table) =>
              isBehind(table) ? (
                <Status tone="retrying">{countText(table.deadRows)}</Status>
              ) : (
                countText(table.deadRows)
              ),
          },
        ]}
      />
    </Section>
  );
}

function Versions({ of: { versions, newestMigration, rowSecurity } }: { of: Service }) {
  const text = (version: string | undefined) => (version === undefined ? 'Unknown' : <code>{version}</code>);
  return (
    <Section title="Versions">
      <Facts
        facts={[
          ['Posthorn', text(versions.posthorn)],
          ['Node.js', text(versions.node)],
          ['PostgreSQL', text(versions.postgresql)],
          ['Temporal', text(versions.temporal)],
          ['Migration', text(newestMigration)],
          [
            'Row security',
            <Status key="rows" tone={rowSecurity ? 'delivered' : 'failed'}>
              {rowSecurity ? 'On' : 'Off'}
            </Status>,
          ],
        ]}
      />
    </Section>
  );
}
