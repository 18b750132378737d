import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Inspector } from '../api/client.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Code } from '../parts/code.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { FirstLine } from '../parts/first-line.tsx';
import { Heading } from '../parts/heading.tsx';
import { InspectorDialog } from '../parts/inspector-dialog.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { nameFilter } from '../parts/named-filter.ts';
import { NoneMatch } from '../parts/none-match.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { Views } from '../parts/views.tsx';

const idOf = ({ id }: Inspector): string => id;

/** Addresses of this service that show what arrives. */
export function InspectorsPage() {
  const t = useTexts();
  const { at, path, may } = useHere();
  const go = useGo();
  const [search] = useAddress();
  const { name } = search;
  const [isMaking, setIsMaking] = useState(false);
  const columns: readonly Column<Inspector>[] = [
    {
      head: t.common.name,
      width: 'minmax(140px, 1fr)',
      cell: (row) => <HereLink to={`/inspect/${row.id}`}>{row.name}</HereLink>,
    },
    { head: t.inspect.answer, width: 'minmax(200px, 2fr)', cell: (row) => <Answers of={row} /> },
    { head: t.fields.made, width: '200px', cell: (row) => <Time at={row.createdAt} /> },
  ];
  const make = may('developer') && (
    <button type="button" className="button main" onClick={() => setIsMaking(true)}>
      {t.inspect.make}
    </button>
  );
  return (
    <>
      <Heading title={t.nav.names.inspect}>{make}</Heading>
      <Views page="inspectors" filters={['name']} own={[]} />
      <Filters filters={[nameFilter(t.common.name)]} />
      <LiveList
        name={t.nav.names.inspect}
        listKey={[path, 'inspectors', name]}
        fetch={(cursor) => api.inspectors.list({ name, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'inspectors', path: '/v1/inspectors', query: () => ({ name }), at }}
        columns={columns}
        empty={
          name === undefined ? (
            <Empty title={t.inspect.none}>
              <p>{t.inspect.noneWhy}</p>
              {make}
              <FirstLine of="inspector" />
            </Empty>
          ) : (
            <NoneMatch filters={['name']} />
          )
        }
        panel={(id) => <InspectorView id={id} />}
        onVisit={(id) => go(`/inspect/${id}`)}
      />
      {isMaking && <InspectorDialog onClose={() => setIsMaking(false)} onDone={({ id }) => go(`/inspect/${id}`)} />}
    </>
  );
}

export function Answers({ of: { answer } }: { of: Inspector }) {
  const t = useTexts();
  return t.inspect.answers(answer.status, answer.delayMs, answer.failurePercent);
}

/** An inspector beside the list. Its requests are on its own page. */
function InspectorView({ id }: { id: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useQuery({ queryKey: [path, 'inspector', id], queryFn: () => api.inspectors.get(id, at) });
  if (found.data === undefined) return <Unread of={found} />;
  return (
    <>
      <Heading title={found.data.name} isInPanel />
      <p className="sentence">
        <Answers of={found.data} />
      </p>
      <Code text={found.data.url} label={t.inspect.url} />
      <p className="hint">{t.inspect.urlHint}</p>
    </>
  );
}
