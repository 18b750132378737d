import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { VERDICT_REASONS, SIGNATURE_VERDICTS } from '../../src/inspectors/schema.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { codeBlocksOf, tableRowsOf } from './code-blocks.ts';
import { runScript } from './shell.ts';

const PAGE = 'docs/inspect.md';

let posthorn: TestPosthorn;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-inspect-'));
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(async () => {
  await posthorn.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the page names every verdict, and every reason of a failed one', () => {
  const shown = tableRowsOf(PAGE, 'The verdict').map(([name = '']) => name);
  const named = (words: readonly string[]): string[] => words.map((word) => `\`${word}\``).toSorted();
  const [verdicts, reasons] = [named(SIGNATURE_VERDICTS), named(VERDICT_REASONS)];
  expect(shown.filter((name) => verdicts.includes(name) && name !== '`reason`').toSorted()).toEqual(verdicts);
  expect(shown.filter((name) => reasons.includes(name)).toSorted()).toEqual(reasons);
});

test('every request of the page is taken as it says', async () => {
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
  expect(output).toContain('/by/hand');
  expect(await posthorn.deps.db.inspector.count()).toBe(0);
}, 270_000);
