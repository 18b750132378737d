import { useInfiniteQuery, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Workflow, type WorkflowVersions } from '../../api/client.ts';
import { itemTexts, memberText, prettyText } from '../../lib/raw-json.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { triggerWords } from '../../lib/step-words.ts';
import { useActs } from '../../parts/acts.tsx';
import { Doer } from '../../parts/doer.tsx';
import { ExportButton, type Paging } from '../../parts/export-button.tsx';
import { FailureNote, NotRead } from '../../parts/failure-note.tsx';
import { Ago } from '../../parts/moment.tsx';
import { CountTag } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Table } from '../../ui/table.tsx';

type Version = WorkflowVersions['versions'][number];

/** The cursor is a version number: the next page starts after it. */
const PAGING: Paging = {
  member: 'versions',
  parameter: 'beforeVersion',
  nextOf(answer) {
    // `as`: only responses of this list come here.
    const { versions, hasMore } = answer as WorkflowVersions;
    return hasMore ? versions.at(-1)?.version : undefined;
  },
};

/** Every definition that a workflow has had, and what has changed since one of them, which the address names. */
export function VersionsTab({ workflow: { id, name }, isChanged }: { workflow: Workflow; isChanged: boolean }) {
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const found = useInfiniteQuery({
    queryKey: [path, 'workflow', id, 'versions'],
    queryFn: ({ pageParam }) => api.workflows.listVersions(id, { beforeVersion: pageParam }, at),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: PAGING.nextOf,
  });
  if (found.data === undefined)
    return (
      <div className="p-6">
        <NotRead of={found} />
      </div>
    );
  const versions = found.data.pages.flatMap((page) => page.versions);
  const [current] = versions;
  const chosen = /^[1-9]\d{0,8}$/.test(search['version'] ?? '') ? Number(search['version']) : undefined;
  const before = versions.find(({ version }) => version === chosen);
  return (
    <div className="flex min-h-0 grow flex-col gap-6 overflow-y-auto p-6 max-md:p-4">
      {found.error !== null && <FailureNote error={found.error} />}
      <div>
        <Table<Version>
          label="Versions"
          rows={versions}
          keyOf={({ version }) => String(version)}
          onOpen={({ version }) => version !== current?.version && change({ version: String(version) })}
          columns={[
            {
              head: 'Version',
              width: '112px',
              cell: ({ version }) => (
                <span className="flex items-center gap-2">
                  {version}
                  {version === current?.version && <CountTag>Current</CountTag>}
                </span>
              ),
            },
            {
              head: 'Trigger',
              cell: ({ triggerType }) => (triggerType === undefined ? '—' : triggerWords(triggerType).name),
              isWide: true,
            },
            { head: 'Steps', width: '72px', isNumber: true, isWide: true, cell: ({ stepCount }) => stepCount },
            {
              head: 'Created by',
              isWide: true,
              cell: ({ madeBy }) => (madeBy === undefined ? '—' : <Doer id={madeBy} />),
            },
            { head: 'Created', width: '104px', cell: ({ createdAt }) => <Ago at={createdAt} /> },
            {
              head: <span className="sr-only">Compare</span>,
              width: '112px',
              className: 'text-right',
              cell: ({ version }) =>
                version !== current?.version && (
                  <Button
                    size="small"
                    aria-pressed={version === chosen}
                    label={`${version === chosen ? 'Comparing' : 'Compare'} version ${version}`}
                    onClick={() => change({ version: version === chosen ? '' : String(version) })}
                  >
                    {version === chosen ? 'Comparing' : 'Compare'}
                  </Button>
                ),
            },
          ]}
        />
        {found.hasNextPage && (
          <Button className="mt-3" isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Load more
          </Button>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <ExportButton
          of={{
            name: 'workflow-versions',
            path: `/v1/workflows/${id}/versions`,
            query: () => ({}),
            at,
            paging: PAGING,
          }}
        />
      </div>
      {versions.length === 1 && <p className="text-text-2">This is the only version so far.</p>}
      {chosen !== undefined && current !== undefined && chosen < current.version && (
        <Comparison
          key={chosen}
          id={id}
          name={name}
          version={before?.version ?? chosen}
          current={current.version}
          isChanged={isChanged}
        />
      )}
    </div>
  );
}

const PARTS = ['trigger', 'steps'] as const;

/** The definition of one version, which never changes, as its author wrote it. */
function useVersion(id: string, version: number): UseQueryResult<string> {
  const { at, path } = useHere();
  return useQuery({
    queryKey: [path, 'workflow', id, 'version', version],
    queryFn: async () => {
      const { text } = await api.workflows.listVersions(id, { version }, at).withAnswer();
      const [one = '{}'] = itemTexts(memberText(text, 'versions') ?? '[]');
      const parts = PARTS.flatMap((name) => {
        const part = memberText(one, name);
        return part === undefined ? [] : [`"${name}":${part}`];
      });
      return `{${parts.join(',')}}`;
    },
    staleTime: Infinity,
  });
}

/** The changes from one version to the current one, and a button to restore it. */
function Comparison({
  id,
  name,
  version,
  current,
  isChanged,
}: {
  id: string;
  name: string;
  version: number;
  current: number;
  isChanged: boolean;
}) {
  const { at, may, environment } = useHere();
  const [, change] = useAddress();
  const { act } = useActs();
  const refresh = useRefresh();
  const [typed, setTyped] = useState('');
  const isReady = environment === 'test' || typed === name;
  const [isAsking, setIsAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  const before = useVersion(id, version);
  const after = useVersion(id, current);
  if (before.data === undefined) return <NotRead of={before} />;
  if (after.data === undefined) return <NotRead of={after} />;
  const earlier = before.data;
  const isSame = prettyText(earlier) === prettyText(after.data);
  const restore = (): void => {
    if (!isReady) return;
    setIsAsking(false);
    setError(undefined);
    void act(
      async () => {
        // The text is sent unchanged, so that no number is parsed and rewritten.
        await api.workflows.update(id, earlier, at);
        change({ version: '' });
        await refresh();
      },
      { told: `Version ${version} restored as version ${current + 1}`, onFailure: setError },
    );
  };
  return (
    <>
      <FailureNote error={error} />
      <DiffView
        label={`Changes since version ${version}`}
        before={prettyText(earlier)}
        after={prettyText(after.data)}
        beforeLabel={`Version ${version}`}
        afterLabel={`Version ${current}, current`}
        same="Same definition as the current version"
        end={
          may('developer') &&
          !isSame && (
            <Button size="small" onClick={() => setIsAsking(true)}>
              Restore version {version}…
            </Button>
          )
        }
      />
      {isAsking && (
        <Dialog
          title={`Restore version ${version}?`}
          environment={environment}
          onClose={() => setIsAsking(false)}
          onSubmit={restore}
          description={
            <>
              <p>
                It becomes version {current + 1}, and new runs use it. Runs in progress keep the version they started
                with.
              </p>
              {isChanged && <p className="mt-2">Your unsaved changes stay in the editor.</p>}
            </>
          }
          actions={<DialogButtons go="Restore version" isDisabled={!isReady} onCancel={() => setIsAsking(false)} />}
        >
          {environment === 'live' && (
            <TextField label={`Type ${name} to confirm`} value={typed} onChange={setTyped} hasFocus />
          )}
        </Dialog>
      )}
    </>
  );
}
