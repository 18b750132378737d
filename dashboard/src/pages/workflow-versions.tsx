import { useInfiniteQuery, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useId } from 'react';
import { api, type Workflow, type WorkflowVersions as Versions } from '../api/client.ts';
import { triggerWord } from '../lib/kind-words.ts';
import { itemTexts, memberText, prettyText } from '../lib/raw-json.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { AskButton } from '../parts/ask-button.tsx';
import { DiffLines } from '../parts/diff-lines.tsx';
import { Doer } from '../parts/doer.tsx';
import { ExportButton, type Paging } from '../parts/export-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';

type Version = Versions['versions'][number];

/** The number of a version stands for the place behind it. */
const PAGING: Paging = {
  member: 'versions',
  parameter: 'beforeVersion',
  nextOf(answer) {
    // `as`: only answers of this list come here.
    const { versions, hasMore } = answer as Versions;
    return hasMore ? versions.at(-1)?.version : undefined;
  },
};

/** Each definition that a workflow has had, who has made it, and what has changed since one of them. The address names that one. */
export function WorkflowVersions({ of: { id, name } }: { of: Workflow }) {
  const t = useTexts();
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const found = useInfiniteQuery({
    queryKey: [path, 'workflow', id, 'versions'],
    queryFn: ({ pageParam }) => api.workflows.listVersions(id, { beforeVersion: pageParam }, at),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: PAGING.nextOf,
  });
  if (found.data === undefined) return <Unread of={found} />;
  const versions = found.data.pages.flatMap((page) => page.versions);
  const [present] = versions;
  const chosen = /^[1-9]\d{0,8}$/.test(search['version'] ?? '') ? Number(search['version']) : undefined;
  return (
    <div className="stack">
      <Failure error={found.error} />
      <div className="buttons">
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
      <div className="box wide">
        <table className="table">
          <thead>
            <tr>
              <th>{t.workflows.version}</th>
              <th>{t.fields.made}</th>
              <th>{t.workflows.madeBy}</th>
              <th>{t.workflows.trigger}</th>
              <th className="number">{t.workflows.steps}</th>
              <th>
                <span className="sr-only">{t.workflows.compare}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {versions.map((row) => (
              <Row
                key={row.version}
                of={row}
                isPresent={row === present}
                isChosen={row.version === chosen}
                onChoose={() => change({ version: row.version === chosen ? '' : String(row.version) })}
              />
            ))}
          </tbody>
        </table>
      </div>
      <MoreButton hasMore={found.hasNextPage} isReading={found.isFetchingNextPage} onMore={found.fetchNextPage} />
      {versions.length === 1 && <p className="muted">{t.workflows.onlyVersion}</p>}
      {chosen !== undefined && present !== undefined && chosen < present.version && (
        <Comparison id={id} name={name} version={chosen} present={present.version} />
      )}
    </div>
  );
}

function Row({
  of: { version, createdAt, madeBy, triggerType, stepCount },
  isPresent,
  isChosen,
  onChoose,
}: {
  of: Version;
  isPresent: boolean;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const t = useTexts();
  return (
    <tr>
      <td>
        {version} {isPresent && <span className="muted">{t.workflows.inForce}</span>}
      </td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>{madeBy !== undefined && <Doer id={madeBy} />}</td>
      <td>{triggerType !== undefined && triggerWord(t, triggerType)}</td>
      <td className="number">{stepCount}</td>
      <td>
        {!isPresent && (
          <button type="button" className="button choice" aria-pressed={isChosen} onClick={onChoose}>
            {t.workflows.compare} <span className="sr-only">{version}</span>
          </button>
        )}
      </td>
    </tr>
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

/** The changes from one version to the present one, and the way back. */
function Comparison({ id, name, version, present }: { id: string; name: string; version: number; present: number }) {
  const t = useTexts();
  const { at, may } = useHere();
  const [, change] = useAddress();
  const refresh = useRefresh();
  const heading = useId();
  const before = useVersion(id, version);
  const after = useVersion(id, present);
  if (before.data === undefined) return <Unread of={before} />;
  if (after.data === undefined) return <Unread of={after} />;
  const earlier = before.data;
  const isSame = prettyText(earlier) === prettyText(after.data);
  const takeBack = async (): Promise<void> => {
    // The text goes as it stands: no number of it is read and written anew.
    await api.workflows.update(id, earlier, at);
    change({ version: '' });
    await refresh();
  };
  return (
    <section className="section">
      <h2 id={heading}>{t.workflows.since(version)}</h2>
      <DiffLines
        before={prettyText(earlier)}
        after={prettyText(after.data)}
        labelledBy={heading}
        same={t.workflows.sameDefinition}
      />
      {may('developer') && !isSame && (
        <div className="buttons">
          <AskButton
            label={t.workflows.takeBack}
            title={t.workflows.takeBackTitle(version)}
            why={t.workflows.takeBackWhy}
            name={name}
            what={takeBack}
            told={t.workflows.takenBack(version)}
          />
        </div>
      )}
    </section>
  );
}
