import { SCOPES, type Scope } from '../../api/client.ts';
import { Checkbox } from '../../ui/field.tsx';

/** The resources of the API by the first part of their scopes. */
const NAMES: Readonly<Record<string, string>> = {
  channels: 'Channels',
  messages: 'Messages',
  subscriptions: 'Subscriptions',
  deliveries: 'Deliveries',
  dlq: 'Dead letters',
  credentials: 'Credentials',
  apps: 'App settings',
  audit: 'Audit log',
  workflows: 'Workflows, runs and approvals',
  webhooks: 'Inbound webhooks',
};
const RESOURCES = [...new Set(SCOPES.map((scope) => scope.split(':')[0] ?? scope))];
const ACTIONS = ['read', 'write'] as const;

/** The scopes of a credential, one row per resource. */
export function ScopeGrid({
  scopes,
  onChange,
}: {
  scopes: ReadonlySet<Scope>;
  onChange: (scopes: ReadonlySet<Scope>) => void;
}) {
  const set = (scope: Scope, isOn: boolean): void =>
    onChange(new Set(SCOPES.filter((each) => (each === scope ? isOn : scopes.has(each)))));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.25 text-12 font-medium">Scopes</legend>
      <table
        aria-label="Scopes"
        className="w-full border-separate border-spacing-0 rounded-8 border border-line-strong"
      >
        <thead>
          <tr className="h-8 bg-sunken text-left text-12 text-text-3">
            <th scope="col" className="rounded-tl-8 border-b border-line px-3 font-normal">
              Resource
            </th>
            {ACTIONS.map((action) => (
              <th key={action} scope="col" className="w-20 border-b border-line px-3 text-center font-normal">
                {action === 'read' ? 'Read' : 'Write'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {RESOURCES.map((resource, at) => (
            <tr key={resource} className="h-8">
              <th scope="row" className={`px-3 text-left font-normal ${at > 0 ? 'border-t border-line' : ''}`}>
                {NAMES[resource] ?? resource}
              </th>
              {ACTIONS.map((action) => {
                const scope = SCOPES.find((each) => each === `${resource}:${action}`);
                return (
                  <td key={action} className={`px-3 text-center ${at > 0 ? 'border-t border-line' : ''}`}>
                    {scope !== undefined && (
                      <Checkbox
                        label={scope}
                        isLabelHidden
                        isOn={scopes.has(scope)}
                        onChange={(isOn) => set(scope, isOn)}
                      />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}
