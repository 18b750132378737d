import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { api, type AuditEntry } from '../api/client.ts';
import { AUDIT_ACTIONS } from '../lib/audit-actions.ts';
import { addressOfId, idIn } from '../lib/find-id.ts';
import type { NamePair } from '../lib/list-filter.ts';
import { oneOf, parseSearch, sinceOf, useAddress } from '../lib/search.ts';
import { useHere, useSession } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { memberText, prettyText } from '../lib/raw-json.ts';
import { JsonText } from '../parts/code.tsx';
import { DiffLines } from '../parts/diff-lines.tsx';
import { Doer } from '../parts/doer.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { HereLink, PathLink } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { useDoers } from '../parts/use-doers.ts';
import { useSince } from '../parts/use-since.ts';
import { Views } from '../parts/views.tsx';

const FILTERS = ['action', 'actor', 'target', 'since', 'until'] as const;
const idOf = ({ id }: AuditEntry): string => id;
const isDoer = (text: string): boolean => /^(?:key|oac|usr)_\w{1,64}$/.test(text);
const isThing = (text: string): boolean => /^[a-z]{2,5}_\w{1,64}$/.test(text);

/** Who changed what in this organisation, newest first. */
export function AuditPage() {
  const t = useTexts();
  const [search] = useAddress();
  const { organisation, may } = useHere();
  const doers = useDoers();
  const times = useSince(search);
  if (!may('admin')) return <NotAllowed />;
  const filter = {
    action: oneOf(search['action'], AUDIT_ACTIONS),
    actorId: search['actor'],
    targetId: search['target'],
  };
  const { since, until } = search;
  const span = () => ({ since: sinceOf(since), until: sinceOf(until) });
  const columns: readonly Column<AuditEntry>[] = [
    {
      head: t.fields.time,
      width: '200px',
      cell: (row) => (
        <HereLink to="/audit" search={{ ...search, open: row.id }}>
          <Time at={row.at} />
        </HereLink>
      ),
    },
    { head: t.audit.action, width: 'minmax(160px, 1fr)', cell: (row) => row.action },
    {
      head: t.audit.actor,
      width: 'minmax(160px, 1fr)',
      cell: (row) => <Actor of={row} names={doers} />,
    },
    { head: t.audit.target, width: 'minmax(160px, 1fr)', cell: (row) => <span className="mono">{row.target.id}</span> },
    { head: t.audit.from, width: '140px', cell: (row) => row.from?.address },
  ];
  const at = { place: { organisationId: organisation.id } };
  return (
    <>
      <Heading title={t.nav.names.audit} />
      <Views page="audit" filters={FILTERS} own={[]} />
      <Filters
        filters={[
          { name: 'action', label: t.audit.action, options: AUDIT_ACTIONS.map((each) => [each, each]) },
          { name: 'actor', label: t.audit.actor, options: doers, accepts: isDoer },
          // Things of the place are found by their names, and all others by their ids.
          { name: 'target', label: t.audit.target, options: doers, accepts: isThing, find: 'thing', isMore: true },
          ...times,
        ]}
      />
      <LiveList
        name={t.nav.names.audit}
        listKey={['audit', organisation.id, filter, since, until]}
        fetch={(cursor) => api.audit.list({ ...filter, ...span(), changes: 'false', limit: 100, cursor }, at).page()}
        idOf={idOf}
        columns={columns}
        leastWidth={900}
        exported={{
          name: 'audit',
          path: '/v1/audit',
          query: () => ({ ...filter, ...span() }),
          take: () => api.audit.export({ ...filter, ...span() }, at),
          formats: ['ndjson'],
          command: { line: 'posthorn audit export > audit.ndjson', why: t.audit.everyEntry },
        }}
        empty={<NoneMatch filters={FILTERS} />}
        panel={(id) => <EntryView id={id} at={at} names={doers} />}
      />
    </>
  );
}

function EntryView({
  id,
  at,
  names,
}: {
  id: string;
  at: { place: { organisationId: string } };
  names: readonly NamePair[];
}) {
  const t = useTexts();
  const heading = useId();
  const found = useQuery({
    queryKey: ['audit-entry', at.place.organisationId, id],
    queryFn: () => api.audit.get(id, at).withAnswer(),
  });
  if (found.data === undefined) return <Unread of={found} />;
  const { data: row, text } = found.data;
  // As the service has sent it: what has changed is shown digit for digit.
  const [before, after] = [memberText(text, 'before'), memberText(text, 'after')];
  return (
    <>
      <h2>{row.action}</h2>
      <dl className="facts">
        <dt>{t.fields.time}</dt>
        <dd>
          <Time at={row.at} />
        </dd>
        <dt>{t.audit.actor}</dt>
        <dd>
          <Actor of={row} names={names} />
        </dd>
        <dt>{t.audit.target}</dt>
        <dd>
          <Target of={row} />
        </dd>
        <dt>{t.audit.from}</dt>
        <dd>
          {row.from?.address} <div className="muted">{row.from?.userAgent}</div>
        </dd>
      </dl>
      {before !== undefined && after !== undefined ? (
        <section className="section">
          <h3 id={heading}>{t.audit.changed}</h3>
          <DiffLines
            before={prettyText(before)}
            after={prettyText(after)}
            labelledBy={heading}
            same={t.audit.unchanged}
          />
        </section>
      ) : (
        (
          [
            ['before', before],
            ['after', after],
          ] as const
        ).map(
          ([name, json]) =>
            json !== undefined && (
              <section key={name} className="section">
                <h3>{t.audit[name]}</h3>
                <JsonText json={json} label={t.audit[name]} />
              </section>
            ),
        )
      )}
    </>
  );
}

/** The one who has done it: by name where it is known, else by kind and id, and those without an id by their kind alone. */
function Actor({ of: { actor }, names }: { of: AuditEntry; names: readonly NamePair[] }) {
  const t = useTexts();
  if (actor.id === undefined) return t.audit.actors[actor.kind];
  const name = names.find(([id]) => id === actor.id)?.[1];
  if (actor.kind === 'person' || name === undefined) return <Doer id={actor.id} />;
  return <span title={actor.id}>{`${t.audit.actors[actor.kind]} ${name}`}</span>;
}

/** The id of the thing that it was done to; a link where that has a page, in whichever app of the organisation it is. */
function Target({ of: { target, appId } }: { of: AuditEntry }) {
  const session = useSession();
  const { path } = useHere();
  const { id } = target;
  const found = useQuery({
    queryKey: ['address-of', id, appId],
    // Its own app alone is asked: each app would be two questions more, and a thing above the apps has no such page.
    queryFn: async () => (await addressOfId(session, path, id, (each) => each === appId)) ?? '',
    enabled: appId !== undefined && idIn(id) === id,
    retry: false,
    meta: { failure: 'own' },
  });
  const [to = '', search = ''] = found.data?.split('?') ?? [];
  if (to === '') return <span className="mono">{id}</span>;
  return (
    <PathLink to={to} search={parseSearch(search)} className="mono">
      {id}
    </PathLink>
  );
}
