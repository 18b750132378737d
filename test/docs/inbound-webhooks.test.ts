import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROVIDER_NAMES } from '../../src/automations/inbound/providers/names.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { codeBlocksOf, tableRowsOf } from './code-blocks.ts';
import { runScript } from './shell.ts';

const PAGE = 'docs/inbound-webhooks.md';

let posthorn: TestPosthorn;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-inbound-'));
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(async () => {
  await posthorn.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the page names every provider', () => {
  const shown = tableRowsOf(PAGE, 'A known service').map(([name = '']) => name.replaceAll('`', ''));
  expect(shown.filter((name) => name !== 'Provider')).toEqual([...PROVIDER_NAMES]);
});

test('every request of the page is taken as it says, and becomes a message of its type', async () => {
  const script = codeBlocksOf(PAGE)
    .filter(({ language }) => language === 'bash')
    .map(({ text }) => text)
    .join('\n');
  const { exitCode, output, errors } = await runScript(script, {
    replaced: { 'URL=http://localhost:3000': `URL=${posthorn.url}` },
    databaseUrl: posthorn.database.url,
    requestsPath: join(folder, 'requests'),
  });
  if (exitCode !== 0) throw new Error(`the page's commands end with ${exitCode}:\n${output.slice(-800)}\n${errors}`);
  const rows = await posthorn.deps.db.message.findMany({ orderBy: { id: 'asc' }, select: { eventType: true } });
  expect(rows.map(({ eventType }) => eventType)).toEqual([
    'push',
    'order.created',
    'order.paid',
    'payment.large',
    'door.opened',
    '/deploy',
    'door.opened',
    '/rollback',
  ]);
}, 270_000);
