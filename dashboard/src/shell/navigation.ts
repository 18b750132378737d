import {
  ArchiveX,
  ArrowDownToLine,
  Hash,
  History,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  LockKeyhole,
  type LucideIcon,
  Mail,
  Plug,
  ScanSearch,
  Send,
  ShieldCheck,
  Split,
  Stamp,
  Workflow,
} from 'lucide-react';
import type { Role } from '../api/client.ts';

/** A page in the navigation. `also`: other first path segments that belong to it. */
export type NavPage = { path: string; name: string; icon: LucideIcon; role?: Role; also?: readonly string[] };
type NavGroup = { title?: string; pages: readonly NavPage[] };

/** The pages of an environment, in groups. Pages that the user's role may not open are left out. */
export const NAVIGATION: readonly NavGroup[] = [
  { pages: [{ path: 'overview', name: 'Overview', icon: LayoutDashboard }] },
  {
    title: 'Traffic',
    pages: [
      { path: 'messages', name: 'Messages', icon: Mail },
      { path: 'deliveries', name: 'Deliveries', icon: Send },
      { path: 'dead-letters', name: 'Dead letters', icon: ArchiveX },
      { path: 'replays', name: 'Replays', icon: History },
    ],
  },
  {
    title: 'Routing',
    pages: [
      { path: 'channels', name: 'Channels', icon: Hash },
      { path: 'subscriptions', name: 'Subscriptions', icon: Split },
      { path: 'inbound', name: 'Inbound webhooks', icon: ArrowDownToLine },
    ],
  },
  {
    title: 'Workflows',
    pages: [
      { path: 'workflows', name: 'Workflows', icon: Workflow },
      { path: 'runs', name: 'Runs', icon: ListChecks },
      { path: 'approvals', name: 'Approvals', icon: Stamp },
      { path: 'connections', name: 'Connections', icon: Plug, role: 'admin', also: ['connectors'] },
    ],
  },
  {
    title: 'Developers',
    pages: [
      { path: 'api-keys', name: 'API keys', icon: KeyRound, role: 'admin', also: ['machine-credentials'] },
      { path: 'secrets', name: 'Secrets', icon: LockKeyhole, role: 'admin' },
      { path: 'inspect', name: 'Inspectors', icon: ScanSearch },
      { path: 'doctor', name: 'Signature debugger', icon: ShieldCheck, role: 'developer' },
    ],
  },
];

/** The pages of the Settings area, which has its own list. */
export const SETTINGS_PAGES: readonly { path: string; name: string; role?: Role }[] = [
  { path: 'apps', name: 'Apps' },
  { path: 'members', name: 'Members' },
  { path: 'audit', name: 'Audit log', role: 'admin' },
  { path: 'sign-in-settings', name: 'Authentication', role: 'admin' },
  { path: 'service', name: 'System status', role: 'admin' },
];

/** Pages that can be found only by the search. */
export const OTHER_PAGES: readonly { path: string; name: string; role?: Role }[] = [
  { path: 'connectors', name: 'Connectors' },
  { path: 'machine-credentials', name: 'Machine credentials', role: 'admin' },
  { path: 'account', name: 'Account' },
];
