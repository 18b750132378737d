import { useQuery } from '@tanstack/react-query';
import { api, type AuditEntry } from '../../api/client.ts';
import { addressOfId, idIn } from '../../lib/find-id.ts';
import type { NamePair } from '../../lib/list-filter.ts';
import { memberText, prettyText } from '../../lib/raw-json.ts';
import { parseSearch } from '../../lib/search.ts';
import { useHere, useSession } from '../../lib/session.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { PathLink, PROSE_LINK } from '../../parts/link.tsx';
import { Exact } from '../../parts/moment.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Facts } from '../../ui/layout.tsx';
import { Actor } from '../../parts/actor.tsx';

/** One entry beside the list: what has changed comes first. */
export function AuditPanel({ id }: { id: string }) {
  const { organisation } = useHere();
  const found = useQuery({
    queryKey: ['audit-entry', organisation.id, id],
    queryFn: () => api.audit.get(id, { place: { organisationId: organisation.id } }).withAnswer(),
  });
  if (found.data === undefined) return <NotRead of={found} />;
  const { data: row, text } = found.data;
  // As the service has sent it: what has changed is shown digit for digit.
  const [before, after] = [memberText(text, 'before'), memberText(text, 'after')];
  return (
    <div className="flex flex-col gap-5">
      <h2 className="mono text-13! font-medium">{row.action}</h2>
      <Facts
        facts={[
          ['Actor', <Actor key="actor" of={row} />],
          ['Target', <Target key="target" of={row} />],
          ['Time', <Exact key="at" at={row.at} />],
          row.from !== undefined && [
            'From',
            <span key="from">
              <code>{row.from.address}</code>
              {row.from.userAgent !== undefined && (
                <span className="block text-12 text-text-2">{row.from.userAgent}</span>
              )}
            </span>,
          ],
        ]}
      />
      {before !== undefined && after !== undefined ? (
        <DiffView
          label="Changes"
          before={prettyText(before)}
          after={prettyText(after)}
          beforeLabel="Before"
          afterLabel="After"
          look="unified"
          same="No visible changes (secrets are hidden)"
        />
      ) : (
        (
          [
            ['Before', before],
            ['After', after],
          ] as const
        ).map(([name, json]) => json !== undefined && <CodeView key={name} label={name} text={json} isWhole />)
      )}
    </div>
  );
}

/** The ID of the thing that it was done to; a link where that has a page, in whichever app of the organisation it is. */
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
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="[overflow-wrap:anywhere]">
        {to === '' ? (
          id
        ) : (
          <PathLink to={to} search={parseSearch(search)} className={PROSE_LINK}>
            {id}
          </PathLink>
        )}
      </code>
      <CopyButton text={id} label="Copy ID" />
    </span>
  );
}
