import type { Connection, Connector } from '../../api/client.ts';
import { API } from '../../lib/addresses.ts';
import { Ago } from '../../parts/moment.tsx';
import { Status, type Tone } from '../../ui/status.tsx';

export const CATEGORY_NAMES: Readonly<Record<Connector['category'], string>> = {
  messaging: 'Messaging',
  email: 'Email',
  development: 'Development',
  project_management: 'Project management',
  data: 'Data',
  sales: 'Sales',
  commerce: 'Commerce',
  support: 'Support',
  incidents: 'Incidents',
  ai: 'AI',
  general: 'General',
};

/** How a service authenticates its callers. */
export const AUTH_TYPE_NAMES: Readonly<Record<Connector['authType'], string>> = {
  none: 'No authentication',
  api_key: 'API key',
  basic: 'Username and password',
  oauth2: 'OAuth 2.0',
};

/** The logo of a connector: letters on a colour, drawn by Posthorn. */
export const ConnectorIcon = ({ icon, size = 20 }: { icon: string; size?: number }) => (
  <img src={API + icon} alt="" width={size} height={size} loading="lazy" className="shrink-0 rounded-4" />
);

/** A connection whose last check failed does not work, whatever its credentials. */
export function connectionHealth({ status, lastTest }: Connection): { tone: Tone; word: string } {
  if (status === 'unauthorized') return { tone: 'held', word: 'Not connected' };
  return lastTest?.ok === false ? { tone: 'failed', word: 'Failing' } : { tone: 'delivered', word: 'Ready' };
}

/** Outcome and time of the last check. */
export function LastCheck({ of: { lastTest } }: { of: Connection }) {
  if (lastTest === undefined) return <span className="text-text-3">Never</span>;
  return (
    <span className="inline-flex items-center gap-2">
      <Status tone={lastTest.ok ? 'delivered' : 'failed'}>{lastTest.ok ? 'Passed' : 'Failed'}</Status>
      <span className="text-text-2">
        <Ago at={lastTest.at} />
      </span>
    </span>
  );
}

/** A description of the service, with names between backticks. */
export const Described = ({ text }: { text: string }) =>
  text.split('`').map((part, position) =>
    // Pieces have no identity except their position: every second one is a name.
    position % 2 === 1 ? <code key={position}>{part}</code> : part,
  );
