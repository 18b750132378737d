import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CONNECTORS } from '../../src/automations/connectors/catalogue/catalogue.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/connectors.md'), 'utf8');

/** Lines of the page's table of connectors. */
const lines = CONNECTORS.map(({ id, name, category, auth, operations }) => {
  const credentials = auth.type === 'none' ? 'none' : namesOf(Object.keys(auth.credentials.shape));
  return `| ${name} | \`${id}\` | ${category} | ${credentials} | ${namesOf(operations.map((each) => each.id))} |`;
});

function namesOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

test('docs/connectors.md has a line for each connector, as the catalogue has it', () => {
  const [, table = ''] = page.split(
    '| Connector | `connectorId` | Category | Credentials | Operations |\n|---|---|---|---|---|\n',
  );
  expect(table.split('\n\n')[0]?.split('\n')).toEqual(lines);
});
