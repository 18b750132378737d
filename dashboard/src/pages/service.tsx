import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, isApiError } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { bytesText, durationText } from '../lib/units.ts';
import { Failure } from '../parts/failure.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';

const EVERY_MS = 10_000;
/** A tenth of the living rows, and not few: vacuum is behind. */
const isBehind = ({ liveRows, deadRows }: { liveRows: number; deadRows: number }): boolean =>
  deadRows > 10_000 && deadRows > liveRows / 5;

/** The service itself: what runs here, how far it is behind, and how large it has become. */
export function ServicePage() {
  const t = useTexts();
  const { organisation, may } = useHere();
  const found = useQuery({
    queryKey: ['service', organisation.id],
    queryFn: () => api.service.get({ place: { organisationId: organisation.id } }),
    refetchInterval: EVERY_MS,
    enabled: may('admin'),
    retry: false,
    meta: { failure: 'own' },
  });
  if (!may('admin')) return <NotAllowed />;
  if (isApiError(found.error, 'FORBIDDEN'))
    return (
      <>
        <Heading title={t.nav.names.service} />
        <p>{t.service.notYours}</p>
      </>
    );
  if (found.data === undefined) return <Unread of={found} />;
  const { versions, workers, due, tables, checks, ...row } = found.data;
  return (
    <>
      <Heading title={t.nav.names.service} />
      <Failure error={found.error} />
      <dl className="facts">
        {(['posthorn', 'node', 'postgresql', 'temporal'] as const).map((part) => [
          <dt key={`${part} name`}>{t.service.parts[part]}</dt>,
          <dd key={part} className="mono">
            {versions[part] ?? t.service.unknown}
          </dd>,
        ])}
        <dt>{t.service.migration}</dt>
        <dd className="mono">{row.newestMigration}</dd>
        <dt>{t.service.rowSecurity}</dt>
        <dd>
          <State of={row.rowSecurity ? 'delivered' : 'failed'} word={row.rowSecurity ? t.service.on : t.service.off} />
        </dd>
        <dt>{t.service.lookedAt}</dt>
        <dd>
          <Time at={row.lookedAt} />
        </dd>
      </dl>
      <Part title={t.service.checks}>
        <Table heads={[t.service.part, t.fields.status, t.fields.reason]}>
          {checks.map(({ name, state, reason }) => (
            <tr key={name}>
              <td className="mono">{name}</td>
              <td>
                <State of={CHECK_LOOKS[state]} word={t.service.checkStates[state]} />
              </td>
              <td>{reason}</td>
            </tr>
          ))}
        </Table>
      </Part>
      <Part title={t.service.workers} why={t.service.workersWhy}>
        {workers.length === 0 ? (
          <p className="muted">{t.service.noWorker}</p>
        ) : (
          <Table
            heads={[t.fields.status, t.service.host, t.service.pid, t.service.began, t.service.renewed, t.fields.id]}
          >
            {workers.map((worker) => (
              <tr key={worker.id}>
                <td>
                  <State
                    of={worker.isAlive ? 'delivered' : 'failed'}
                    word={worker.isAlive ? t.service.alive : t.service.dead}
                  />
                </td>
                <td className="mono">{worker.host}</td>
                <td>{worker.pid}</td>
                <td>
                  <Time at={worker.startedAt} />
                </td>
                <td>
                  <Time at={worker.renewedAt} />
                </td>
                <td className="mono">{worker.id}</td>
              </tr>
            ))}
          </Table>
        )}
      </Part>
      <Part title={t.service.due} why={t.service.dueWhy}>
        {due.length === 0 ? (
          <p className="muted">{t.service.nothingDue}</p>
        ) : (
          <Table heads={[t.fields.status, t.nav.names.deliveries, t.service.oldest]} numbers={[1, 2]}>
            {due.map(({ state, deliveries, oldestDueForMs }) => (
              <tr key={state}>
                <td>{t.service.dueStates[state]}</td>
                <td className="number">{t.service.count(deliveries)}</td>
                <td className="number">{durationText(oldestDueForMs, t.units)}</td>
              </tr>
            ))}
          </Table>
        )}
        {row.oldestScheduledForMs > 0 && <p>{t.service.scheduled(durationText(row.oldestScheduledForMs, t.units))}</p>}
      </Part>
      <Part title={t.service.tables} why={t.service.tablesWhy}>
        <Table heads={[t.service.table, t.fields.size, t.service.live, t.service.deadRows]} numbers={[1, 2, 3]}>
          {tables.map((table) => (
            <tr key={table.name}>
              <td className="mono">{table.name}</td>
              <td className="number">{bytesText(table.bytes, t.units)}</td>
              <td className="number">{t.service.count(table.liveRows)}</td>
              <td className="number">
                {isBehind(table) ? (
                  <State of="retrying" word={t.service.count(table.deadRows)} />
                ) : (
                  t.service.count(table.deadRows)
                )}
              </td>
            </tr>
          ))}
        </Table>
      </Part>
    </>
  );
}

const CHECK_LOOKS = { up: 'delivered', late: 'retrying', down: 'failed', unknown: 'pending' } as const;

function Part({ title, why, children }: { title: string; why?: string; children: ReactNode }) {
  return (
    <section className="section">
      <h2>{title}</h2>
      {why !== undefined && <p className="muted">{why}</p>}
      {children}
    </section>
  );
}

function Table({
  heads,
  numbers = [],
  children,
}: {
  heads: readonly string[];
  numbers?: readonly number[];
  children: ReactNode;
}) {
  return (
    <div className="box wide">
      <table className="table">
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={head} className={numbers.includes(index) ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
