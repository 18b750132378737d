import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Connector, type WholeConnector } from '../api/client.ts';
import { API } from '../lib/addresses.ts';
import { usePathId } from '../lib/path-id.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Described } from '../parts/described.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink } from '../parts/link.tsx';
import { propertiesOf } from '../parts/schema-fields.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { Unread } from '../parts/unread.tsx';
import { ConnectDialog } from './connect-dialog.tsx';

/** Services that workflows can ask, by their kind. */
export function ConnectorsPage() {
  const t = useTexts();
  const { at } = useHere();
  const [search] = useAddress();
  const found = useQuery({
    queryKey: ['connectors'],
    queryFn: async () => (await api.connectors.list({ limit: 100 }, at).page()).data,
    staleTime: Infinity,
  });
  if (found.data === undefined) return <Unread of={found} />;
  const categories = [...new Set(found.data.map(({ category }) => category))];
  const wanted = (search['search'] ?? '').toLowerCase();
  const fits = ({ name, description, category }: Connector): boolean =>
    `${name} ${description}`.toLowerCase().includes(wanted) &&
    (search['category'] === undefined || search['category'] === category);
  const shown = found.data.filter(fits);
  return (
    <>
      <Heading title={t.nav.names.connectors}>
        {shown.length > 0 && (
          <ExportButton
            of={{
              name: 'connectors',
              path: '/v1/connectors',
              query: () => ({ category: search['category'], search: search['search'] }),
              at,
            }}
          />
        )}
      </Heading>
      <Filters
        filters={[
          { name: 'search', label: t.connections.search },
          {
            name: 'category',
            label: t.fields.kind,
            options: categories.map((each) => [each, t.connections.categories[each]]),
          },
        ]}
      />
      {shown.length === 0 && <NoneMatch filters={['search', 'category']} why={t.connections.noneMatchWhy} />}
      {categories.map((category) => {
        const rows = shown.filter((row) => row.category === category);
        return (
          rows.length > 0 && (
            <section key={category} className="section">
              <h2>{t.connections.categories[category]}</h2>
              <ul className="cards">
                {rows.map((row) => (
                  <li key={row.id} className="box">
                    <img src={API + row.icon} alt="" width="32" height="32" loading="lazy" />
                    <div>
                      <HereLink to={`/connectors/${row.id}`}>{row.name}</HereLink>
                      <p className="muted">{row.description}</p>
                    </div>
                  </li>
                ))}
              </ul>
            </section>
          )
        );
      })}
    </>
  );
}

/** One service: what it can be asked, and with what. */
export function ConnectorPage() {
  const t = useTexts();
  const id = usePathId();
  const { at, may } = useHere();
  const [isConnecting, setIsConnecting] = useState(false);
  const found = useQuery({ queryKey: ['connector', id], queryFn: () => api.connectors.get(id, at) });
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  return (
    <>
      <Heading title={row.name}>
        {row.credentials !== undefined && may('admin') && (
          <button type="button" className="button main" onClick={() => setIsConnecting(true)}>
            {t.connections.connect}
          </button>
        )}
      </Heading>
      <p>{row.description}</p>
      <p className="muted">
        {row.credentials === undefined ? t.connections.needsNone : t.connections.needs[row.authType]}{' '}
        <HereLink to="/connections">{t.nav.names.connections}</HereLink>
      </p>
      {row.operations.map((operation) => (
        <Operation key={operation.id} connector={row.id} operation={operation} />
      ))}
      {isConnecting && <ConnectDialog connector={row} onClose={() => setIsConnecting(false)} />}
    </>
  );
}

function Operation({ connector, operation }: { connector: string; operation: WholeConnector['operations'][number] }) {
  const t = useTexts();
  return (
    <section className="section">
      <h2>{operation.name}</h2>
      <p>
        {operation.description}{' '}
        <span className="mono muted">
          {connector} · {operation.id}
        </span>
      </p>
      <div className="box wide">
        <table className="table">
          <thead>
            <tr>
              <th className="name">{t.connections.parameter}</th>
              <th>{t.connections.meaning}</th>
            </tr>
          </thead>
          <tbody>
            {propertiesOf(operation.input).map(({ name, property, isRequired }) => (
              <tr key={name}>
                <td className="mono">{isRequired ? name : t.connections.optional(name)}</td>
                <td>
                  <Described text={property.description ?? ''} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
