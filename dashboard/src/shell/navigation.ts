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

/** A page that the navigation leads to. `also`: other first parts of paths that belong to it. */
export type NavPage = { path: string; name: string; icon: LucideIcon; role?: Role; also?: readonly string[] };
type NavGroup = { title?: string; pages: readonly NavPage[] };

/** The pages of a place, in groups. One that the role of its person may not open is left out. */
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

/** The pages of the area Settings, which has a list of its own. */
export const SETTINGS_PAGES: readonly { path: string; name: string; role?: Role }[] = [
  { path: 'apps', name: 'Apps' },
  { path: 'members', name: 'Members' },
  { path: 'audit', name: 'Audit log', role: 'admin' },
  { path: 'sign-in-settings', name: 'Authentication', role: 'admin' },
  { path: 'service', name: 'System status', role: 'admin' },
];

/** Pages that are found by the search alone. */
export const OTHER_PAGES: readonly { path: string; name: string; role?: Role }[] = [
  { path: 'connectors', name: 'Connectors' },
  { path: 'machine-credentials', name: 'Machine credentials', role: 'admin' },
  { path: 'account', name: 'Account' },
];
