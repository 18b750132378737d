import {
  ArchiveX,
  ArrowDownToLine,
  Hash,
  History,
  ListChecks,
  type LucideIcon,
  Mail,
  Plug,
  Send,
  Split,
  Stamp,
  Workflow,
} from 'lucide-react';
import type { SearchResults } from '../api/client.ts';
import type { Search } from './list-filter.ts';

export type SearchHit = SearchResults['data'][number];

/** Returns the page of a search hit, relative to its environment, and its name. */
export const HIT_KINDS: Readonly<
  Record<
    SearchHit['kind'],
    { name: string; plural: string; icon: LucideIcon; addressOf: (hit: SearchHit) => { to: string; search?: Search } }
  >
> = {
  message: { name: 'Message', plural: 'Messages', icon: Mail, addressOf: ({ id }) => ({ to: `/messages/${id}` }) },
  delivery: {
    name: 'Delivery',
    plural: 'Deliveries',
    icon: Send,
    addressOf: ({ id }) => ({ to: `/deliveries/${id}` }),
  },
  attempt: {
    name: 'Attempt',
    plural: 'Attempts',
    icon: Send,
    addressOf: ({ deliveryId = '' }) => ({ to: `/deliveries/${deliveryId}` }),
  },
  deadLetter: {
    name: 'Dead letter',
    plural: 'Dead letters',
    icon: ArchiveX,
    addressOf: ({ id }) => ({ to: `/dead-letters/${id}` }),
  },
  bulkReplay: { name: 'Replay', plural: 'Replays', icon: History, addressOf: ({ id }) => ({ to: `/replays/${id}` }) },
  bulkRetry: { name: 'Retry', plural: 'Retries', icon: History, addressOf: ({ id }) => ({ to: `/replays/${id}` }) },
  messageReplay: {
    name: 'Message replay',
    plural: 'Message replays',
    icon: History,
    addressOf: ({ id }) => ({ to: `/replays/${id}` }),
  },
  subscription: {
    name: 'Subscription',
    plural: 'Subscriptions',
    icon: Split,
    addressOf: ({ id }) => ({ to: `/subscriptions/${id}` }),
  },
  channel: { name: 'Channel', plural: 'Channels', icon: Hash, addressOf: ({ id }) => ({ to: `/channels/${id}` }) },
  workflow: {
    name: 'Workflow',
    plural: 'Workflows',
    icon: Workflow,
    addressOf: ({ id }) => ({ to: `/workflows/${id}` }),
  },
  run: { name: 'Run', plural: 'Runs', icon: ListChecks, addressOf: ({ id }) => ({ to: `/runs/${id}` }) },
  approval: {
    name: 'Approval',
    plural: 'Approvals',
    icon: Stamp,
    addressOf: ({ id }) => ({ to: '/approvals', search: { open: id } }),
  },
  connection: {
    name: 'Connection',
    plural: 'Connections',
    icon: Plug,
    addressOf: ({ id }) => ({ to: '/connections', search: { open: id } }),
  },
  webhook: {
    name: 'Inbound webhook',
    plural: 'Inbound webhooks',
    icon: ArrowDownToLine,
    addressOf: ({ id }) => ({ to: `/inbound/${id}` }),
  },
};
