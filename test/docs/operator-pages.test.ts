import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { codeBlocksOf, readPage } from './code-blocks.ts';

const PAGES = ['docs/backup.md', 'docs/upgrading.md', 'docs/sizing.md', 'docs/troubleshooting.md'];
const statements = PAGES.flatMap((page) => codeBlocksOf(page)).filter(({ language }) => language === 'sql');

let posthorn: TestPosthorn;
let ids: { subscription: string; message: string };
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  const { id: channelId } = await createChannel(posthorn);
  const { id: subscription } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  const { id: message } = await publish(posthorn, channelId);
  ids = { subscription, message };
});
afterAll(() => posthorn.stop());

test.each(statements.map(({ page, line, text }) => [`${page}:${line}`, text] as const))(
  'the statement at %s runs on the tables of this release',
  async (_, text) => {
    const sql = text.replace('sub_…', ids.subscription).replace('msg_…', ids.message);
    expect(Array.isArray((await posthorn.deps.pool.query(sql)).rows)).toBe(true);
  },
);

test('the statement about late deliveries shows a delivery that is due', async () => {
  const late = statements.find(({ text }) => text.includes('rate_limit'))?.text ?? '';
  expect((await posthorn.deps.pool.query(late)).rows).toMatchObject([{ id: ids.subscription, due: '1' }]);
});

test('there are fifteen symptoms, and each section that they name is there', () => {
  const page = readPage('docs/troubleshooting.md');
  // Each stands in two tables: looks that settle it, and the metric and the alert that show it.
  const rows = page.match(/^\| \d+\. [^|]+/gm) ?? [];
  expect([rows.length, new Set(rows).size]).toEqual([30, 15]);
  const anchors = Array.from(page.matchAll(/\(#(\d+)-/g), ([, number]) => number);
  for (const number of anchors) expect(page).toMatch(new RegExp(`^## ${number}\\. `, 'm'));
});
