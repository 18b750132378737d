import { useQuery } from '@tanstack/react-query';
import { api, type AuditEntry } from '../../api/client.ts';
import { addressOfId, idIn } from '../../lib/find-id.ts';
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

/** The panel of an audit log entry. The change itself comes first. */
export function AuditPanel({ id }: { id: string }) {
  const { organisation } = useHere();
  const found = useQuery({
    queryKey: ['audit-entry', organisation.id, id],
    queryFn: () => api.audit.get(id, { place: { organisationId: organisation.id } }).withAnswer(),
  });
  if (found.data === undefined) return <NotRead of={found} />;
  const { data: row, text } = found.data;
  // As the service sent it, so that changes are shown digit for digit.
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

/** The id of the entry's target; a link if the target has a page, in whichever app of the organisation it is. */
function Target({ of: { target, appId } }: { of: AuditEntry }) {
  const session = useSession();
  const { path } = useHere();
  const { id } = target;
  const found = useQuery({
    queryKey: ['address-of', id, appId],
    // Search only the entry's own app: each further app would cost two requests, and a target outside the apps has no
    // such page.
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
