import clsx from 'clsx';
import { Search } from 'lucide-react';
import type { Connector } from '../../api/client.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { ExportButton } from '../../parts/export-button.tsx';
import { HereLink } from '../../parts/link.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { CountTag } from '../../ui/badge.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';
import { CATEGORY_NAMES, ConnectorIcon } from './parts.tsx';

/** All services that workflows can call, searchable by name, purpose and category. */
export function Catalogue({
  connectors,
  connectedOf,
}: {
  connectors: readonly Connector[];
  /** How many connections of the environment a connector has. */
  connectedOf: (id: string) => number;
}) {
  const { at } = useHere();
  const [search, change] = useAddress();
  const categories = (Object.keys(CATEGORY_NAMES) as Connector['category'][]).filter((each) =>
    connectors.some(({ category: own }) => own === each),
  );
  const wanted = (search['search'] ?? '').toLowerCase();
  const category = categories.find((each) => each === search['category']);
  const fits = (row: Connector): boolean =>
    `${row.name} ${row.description}`.toLowerCase().includes(wanted) &&
    (category === undefined || category === row.category);
  const shown = connectors.filter(fits);
  return (
    <Section
      title="Connectors"
      end={
        shown.length > 0 && (
          <ExportButton
            what="connectors"
            of={{
              name: 'connectors',
              path: '/v1/connectors',
              query: () => ({ category, search: search['search'] }),
              at,
            }}
          />
        )
      }
    >
      <div role="search" aria-label="Connectors" className="mb-4 flex flex-col gap-3">
        <div className="max-w-100">
          <TextField
            label="Search connectors"
            isLabelHidden
            type="search"
            placeholder="Search connectors"
            before={<Icon of={Search} isSmall className="text-text-3" />}
            value={search['search'] ?? ''}
            onChange={(text) => change({ search: text }, { replace: true })}
          />
        </div>
        <div role="group" aria-label="Category" className="flex flex-wrap gap-1.5">
          {[undefined, ...categories].map((each) => (
            <button
              key={each ?? 'all'}
              type="button"
              aria-pressed={each === category}
              onClick={() => change({ category: each ?? '' }, { replace: true })}
              className={clsx(
                'h-control-small rounded-full border px-2.5 text-12 font-medium',
                each === category
                  ? 'border-transparent bg-text text-surface'
                  : 'border-line-strong text-text-2 hover:bg-hover hover:text-text',
              )}
            >
              {each === undefined ? 'All' : CATEGORY_NAMES[each]}
            </button>
          ))}
        </div>
      </div>
      {shown.length === 0 ? (
        <NothingMatches title="No connectors match" filters={['search', 'category']}>
          Steps with the action http can call any other service.
        </NothingMatches>
      ) : (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,260px),1fr))] gap-3">
          {shown.map((row) => {
            const count = connectedOf(row.id);
            return (
              <li key={row.id}>
                <HereLink
                  to={`/connectors/${row.id}`}
                  className="flex h-full items-start gap-3 rounded-8 border border-line-strong p-3 hover:bg-hover"
                >
                  <ConnectorIcon icon={row.icon} size={32} />
                  <span className="min-w-0 grow">
                    <span className="flex items-center gap-2 font-medium">
                      {row.name}
                      {count > 0 && <CountTag>{count} connected</CountTag>}
                    </span>
                    <span className="block text-text-2">{row.description}</span>
                  </span>
                </HereLink>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}
