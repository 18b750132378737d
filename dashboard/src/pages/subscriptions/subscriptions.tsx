import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ListFilter } from '../../lib/list-filter.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import type { ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import type { OwnView } from '../../parts/data-list/saved-views.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { HereLink } from '../../parts/link.tsx';
import { namedFilter, nameFilter } from '../../parts/named-filter.ts';
import { useChannels } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { SubscriptionList } from './subscription-list.tsx';

const STATUSES = ['active', 'paused', 'disabled'] as const;
const STATUS_NAMES = { active: 'Active', paused: 'Paused', disabled: 'Disabled' } as const;
const FAILING = ['true', 'false'] as const;
const FILTERS = ['name', 'status', 'failing', 'channel', 'owner'] as const;
const VIEWS: readonly OwnView[] = [
  { name: 'Needs attention', search: { failing: 'true' } },
  { name: 'Paused', search: { status: 'paused' } },
  { name: 'Disabled', search: { status: 'disabled' } },
];
const NONE: readonly string[] = [];

/** All subscriptions of the environment: their health, and what they receive. */
export function SubscriptionsPage({ ofForm = NONE }: { ofForm?: readonly string[] }) {
  const { at, may } = useHere();
  const [search] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const filters = useFilters();
  const filter = {
    name: search['name'],
    channelId: search['channel'],
    owner: search['owner'],
    status: oneOf(search['status'], STATUSES),
    failing: oneOf(search['failing'], FAILING),
  };
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <Page
      title="Subscriptions"
      layout="full"
      count={<ListCountText count={count} isFiltered={isFiltered} />}
      actions={
        <>
          <div className="max-md:hidden">
            <ExportButton of={{ name: 'subscriptions', path: '/v1/subscriptions', query: () => filter, at }} />
          </div>
          {may('developer') && (
            <Button
              look="primary"
              icon={Plus}
              render={
                <HereLink
                  to="/subscriptions/new"
                  search={filter.channelId === undefined ? {} : { channel: filter.channelId }}
                />
              }
            >
              Create subscription
            </Button>
          )}
        </>
      }
    >
      <SubscriptionList
        filter={filter}
        onCount={setCount}
        above={(columns) => (
          <FilterLine
            filters={filters}
            views={{ page: 'subscriptions', own: VIEWS }}
            columns={columns}
            ofTabs={ofForm}
          />
        )}
        noMatch={isFiltered ? <NothingMatches title="No subscriptions match" filters={FILTERS} /> : undefined}
      />
    </Page>
  );
}

function useFilters(): readonly ListFilter[] {
  const channels = useChannels();
  return [
    nameFilter('Name or host'),
    { name: 'status', label: 'Status', options: STATUSES.map((each) => [each, STATUS_NAMES[each]] as const) },
    {
      name: 'failing',
      label: 'Health',
      options: FAILING.map((each) => [each, each === 'true' ? 'Needs attention' : 'Healthy'] as const),
      failure: 'true',
    },
    namedFilter('channel', 'Channel', channels),
    { name: 'owner', label: 'Customer ID' },
  ];
}
