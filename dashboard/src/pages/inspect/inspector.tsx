import { useQuery } from '@tanstack/react-query';
import { ScanSearch } from 'lucide-react';
import { useState } from 'react';
import { api, type InspectedRow, type Inspector } from '../../api/client.ts';
import { sizeText } from '../../lib/format.ts';
import { usePathId } from '../../lib/path-id.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Page } from '../../shell/page.tsx';
import { CodeBadge } from '../../ui/badge.tsx';
import { CodeLines } from '../../ui/code-lines.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { HeadFact, PageHead } from '../../ui/layout.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { InspectorActions } from './inspector-actions.tsx';
import { InspectedRequestPanel } from './request-panel.tsx';
import { responseText } from './response-fields.tsx';
import { sentText, SIGNATURE_WORDS, SIGNATURE_CODES } from './words.ts';

const idOf = ({ id }: InspectedRow): string => id;

/** One inspector: its URL, and a live list of the requests that arrive there. */
export function InspectorPage() {
  const id = usePathId();
  const { at, path } = useHere();
  const [search] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const signatureStatus = oneOf(search['signatureStatus'], SIGNATURE_CODES);
  const found = useQuery({ queryKey: [path, 'inspector', id], queryFn: () => api.inspectors.get(id, at) });
  const row = found.data;
  return (
    <Page
      title={row?.name ?? 'Inspector'}
      crumbs={[['Inspectors', '/inspect']]}
      hasHead
      layout="full"
      count={<ListCountText count={count} isFiltered={signatureStatus !== undefined} />}
      actions={
        <ExportButton
          of={{
            name: 'inspected-requests',
            path: `/v1/inspectors/${id}/requests`,
            query: () => ({ signatureStatus }),
            at,
          }}
        />
      }
    >
      {row === undefined ? (
        <div className="p-6">
          <NotRead of={found} />
        </div>
      ) : (
        <>
          <div className="shrink-0 border-b border-line px-6 pt-5 pb-4 max-md:px-4">
            <Head of={row} />
          </div>
          <DataList
            name="Requests"
            listKey={[path, 'inspected', id, signatureStatus]}
            ofId={id}
            fetch={(cursor) => api.inspectors.listRequests(id, { signatureStatus, limit: 100, cursor }, at).page()}
            idOf={idOf}
            columns={columnsOf(id, search)}
            narrow={(request) => {
              const { tone, word } = SIGNATURE_WORDS[request.signature.status];
              return {
                mark: <StatusIcon tone={tone} label={word} />,
                what: <span className="mono">{`${request.method} ${request.path === '' ? '/' : request.path}`}</span>,
                when: <Ago at={request.arrivedAt} />,
                where: `${word}, ${sizeText(request.bytes)}`,
                result: <CodeBadge code={request.answer.status} />,
              };
            }}
            above={
              <FilterLine
                filters={[
                  {
                    name: 'signatureStatus',
                    label: 'Signature',
                    options: SIGNATURE_CODES.map((each) => [each, SIGNATURE_WORDS[each].word] as const),
                    failure: 'failed',
                  },
                ]}
                views={{
                  page: 'inspected-requests',
                  own: [{ name: 'Invalid signatures', search: { signatureStatus: 'failed' } }],
                }}
              />
            }
            onCount={setCount}
            empty={
              signatureStatus === undefined ? (
                <Empty icon={ScanSearch} title="No requests yet">
                  <p>Requests show here as they arrive.</p>
                  <div className="w-120 max-w-full text-left">
                    <CodeLines title="cURL" text={`curl -d '{"hello": "world"}' ${row.url}`} />
                  </div>
                </Empty>
              ) : (
                <NothingMatches title="No requests match" filters={['signatureStatus']} />
              )
            }
            panelTitle="Request"
            panel={(requestId) => <InspectedRequestPanel key={requestId} id={requestId} />}
          />
        </>
      )}
    </Page>
  );
}

function Head({ of: row }: { of: Inspector }) {
  const { may } = useHere();
  return (
    <PageHead
      title={row.name}
      facts={
        <>
          <span role="group" aria-label="Endpoint URL" className="inline-flex max-w-full min-w-0 items-center gap-1">
            <code className="min-w-0 [overflow-wrap:anywhere]">{row.url}</code>
            <CopyButton text={row.url} label="Copy endpoint URL" />
          </span>
          {!may('developer') && <HeadFact>Responds with {responseText(row)}</HeadFact>}
          <HeadFact>Newest 200 requests, kept for 24 hours; takes 300 per minute</HeadFact>
        </>
      }
      actions={may('developer') && <InspectorActions of={row} />}
    />
  );
}

const columnsOf = (id: string, search: Readonly<Record<string, string>>): readonly Column<InspectedRow>[] => [
  {
    key: 'signature',
    head: 'Signature',
    width: 96,
    grow: 0,
    cell: ({ signature }) => {
      const { tone, word } = SIGNATURE_WORDS[signature.status];
      return <Status tone={tone}>{word}</Status>;
    },
  },
  {
    key: 'method',
    head: 'Method',
    width: 64,
    grow: 0,
    cell: (row) => (
      <HereLink to={`/inspect/${id}`} search={{ ...search, open: row.id }} isRow className="mono">
        {row.method}
      </HereLink>
    ),
  },
  {
    key: 'path',
    head: 'Path',
    width: 140,
    rank: 1,
    cell: ({ path }) => <span className="mono text-text-2">{path === '' ? '/' : path}</span>,
  },
  {
    key: 'response',
    head: 'Response',
    width: 140,
    grow: 0,
    rank: 3,
    cell: (row) => (
      <>
        <CodeBadge code={row.answer.status} />
        <span className="ml-2 text-text-2">{sentText(row).slice(3)}</span>
      </>
    ),
  },
  {
    key: 'size',
    head: 'Size',
    width: 72,
    grow: 0,
    rank: 4,
    isNumber: true,
    cell: ({ bytes }) => sizeText(bytes),
  },
  {
    key: 'received',
    head: 'Received',
    width: 92,
    grow: 0,
    rank: 2,
    isNumber: true,
    cell: (row) => <Ago at={row.arrivedAt} />,
  },
];
