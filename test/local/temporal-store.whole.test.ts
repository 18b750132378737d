import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { readConfig } from '../../src/platform/config/config.ts';
import { keepRunning } from '../../local/child.ts';
import { findFreePort } from '../../local/ports.ts';
import { startTemporal } from '../../local/temporal.ts';
import { waitFor } from '../support/check/wait-for.ts';

// Callers at a time who give up after 1 to 6 ms. A few seconds of them break the store of server 1.29.
const CALLERS = 30;
const PATIENCE_MS = 6;
const BROKEN_WITHIN_MS = 120_000;

// Regression: the server answered "interrupted (9)" to everything until somebody started it again.
test('a store that callers have broken by giving up is noticed, and the server comes back with what it had', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-store-'));
  const port = await findFreePort();
  const { temporalCli } = readConfig();
  const lines: string[] = [];
  const onProgress = (line: string): void => void lines.push(line);
  const server = await keepRunning({
    start: () => startTemporal({ dataFolder, port, namespace: 'default', temporalCli, onProgress }),
    onProgress,
    onGivenUp: onProgress,
  });
  const connection = await Connection.connect({ address: server.first.address });
  const client = new Client({ connection });
  const start = (workflowId: string) => client.workflow.start('never', { workflowId, taskQueue: 'nobody' });
  try {
    await start('kept');
    const isNoticed = (): boolean => lines.some((line) => line.includes('refuses every read'));
    const deadline = Date.now() + BROKEN_WITHIN_MS;
    const giveUp = async (caller: number): Promise<void> => {
      for (let n = 0; !isNoticed() && Date.now() < deadline; n += 1)
        await connection
          .withDeadline(Date.now() + 1 + (n % PATIENCE_MS), async () => {
            if (n % 2 === 0) await start(`${caller}-${n}`);
            else await connection.workflowService.listWorkflowExecutions({ namespace: 'default', pageSize: 10 });
          })
          .catch(() => undefined);
    };
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => giveUp(caller)));

    expect(lines).toContain("Temporal's store refuses every read (a fault of its SQLite driver)");
    await waitFor('it to be started again', () => lines.includes('Temporal ended (SIGKILL); restarting it'));
    const kept = await waitFor(
      'the server to answer',
      () =>
        client.workflow
          .getHandle('kept')
          .describe()
          .catch(() => undefined),
      60_000,
    );
    expect(kept.status.name).toBe('RUNNING');
  } finally {
    await connection.close();
    await server.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}, 200_000);
