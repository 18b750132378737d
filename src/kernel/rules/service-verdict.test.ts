import { describe, expect, test } from '@jest/globals';
import { deliveringServers, REASON_CODES, type ServiceFacts, VERDICTS, judgeService } from './service-verdict.ts';

const UP = { database: 'up', schema: 'up', encryptionKeys: 'up', rowSecurity: 'up', temporal: 'up' } as const;
const WORKER = { isAlive: true, silentMs: 1_500, reachesTemporal: true };
const READ = { workers: [WORKER], oldestDueMs: 0, oldestScheduledMs: 0 };
const MINUTE = 60_000;

/** The verdict, and the code of each reason with its own verdict. */
function judged({ parts, reasons = {}, ...read }: Partial<typeof READ> & Partial<Omit<ServiceFacts, 'read'>>) {
  const { verdict, reasons: found } = judgeService({ parts: { ...UP, ...parts }, reasons, read: { ...READ, ...read } });
  return [verdict, ...found.map((reason) => `${reason.code} ${reason.verdict}`)];
}

test('a service without a problem is healthy', () => {
  expect(judged({})).toEqual(['healthy']);
  expect([new Set(VERDICTS).size, new Set(REASON_CODES).size]).toEqual([VERDICTS.length, REASON_CODES.length]);
});

test("a process that does not know Temporal uses the workers' reports", () => {
  const { temporal: _, ...parts } = UP;
  expect(judgeService({ parts, reasons: {}, read: READ })).toEqual({ verdict: 'healthy', reasons: [] });
  const read = { ...READ, workers: [{ ...WORKER, reachesTemporal: false }] };
  expect(judgeService({ parts, reasons: {}, read }).verdict).toBe('down');
});

test.each<[name: string, facts: Parameters<typeof judged>[0], expected: string[]]>([
  ['down', { parts: { database: 'down', schema: 'unknown' } }, ['down', 'database_unavailable down']],
  ['late', { parts: { database: 'late' } }, ['down', 'database_unavailable down']],
  ['without migrations', { parts: { schema: 'down' } }, ['down', 'schema_unfit down']],
  ['sealed with other keys', { parts: { encryptionKeys: 'down' } }, ['down', 'encryption_keys_unfit down']],
  ['without row-level security', { parts: { rowSecurity: 'down' } }, ['degraded', 'row_security_off degraded']],
])('a database that is %s', (_, facts, expected) => {
  expect(judged(facts)).toEqual(expected);
});

test('the reason for a component is that of its check, or a plain sentence without one', () => {
  const parts = { ...UP, database: 'down' } as const;
  const message = (reasons: Record<string, string>) => judgeService({ parts, reasons }).reasons[0]?.message;
  expect(message({ database: 'The database cannot be reached' })).toBe('The database cannot be reached');
  expect(message({})).toBe('The check database failed');
});

test('says nothing about workers and their work while PostgreSQL does not respond', () => {
  const parts = { ...UP, database: 'down', temporal: 'down' } as const;
  expect(judgeService({ parts, reasons: {} }).reasons.map(({ code }) => code)).toEqual([
    'database_unavailable',
    'temporal_unreachable',
  ]);
});

describe('workers', () => {
  const silent = (silentMs: number) => ({ ...WORKER, silentMs, isAlive: silentMs < 10_000 });

  test.each<[name: string, workers: (typeof WORKER)[], expected: string[]]>([
    ['none', [], ['down', 'no_worker down']],
    ['one that has just renewed its lease', [silent(6_000)], ['healthy']],
    ['one that is late', [silent(6_001)], ['degraded', 'worker_late degraded']],
    ['one that has died', [silent(10_001)], ['down', 'no_worker down', 'worker_late degraded']],
    ['one that has died beside a living one', [silent(MINUTE), WORKER], ['degraded', 'worker_late degraded']],
    ['one that is gone beside a living one', [silent(MINUTE + 1), WORKER], ['healthy']],
  ])('%s', (_, workers, expected) => {
    expect(judged({ workers })).toEqual(expected);
  });

  test('counts several late ones', () => {
    const { reasons } = judgeService({
      parts: UP,
      reasons: {},
      read: { ...READ, workers: [silent(7_000), silent(8_000), WORKER] },
    });
    expect(reasons[0]?.message).toBe('2 workers have sent no heartbeat for more than 6 s');
  });
});

describe('Temporal', () => {
  const without = { ...WORKER, reachesTemporal: false };

  test.each<[name: string, facts: Parameters<typeof judged>[0], expected: string[]]>([
    ['answers no worker', { workers: [without, without] }, ['down', 'temporal_unreachable down']],
    ['answers one worker of two', { workers: [without, WORKER] }, ['degraded', 'temporal_partly_unreachable degraded']],
    ['does not answer here', { parts: { temporal: 'down' } }, ['degraded', 'temporal_unreachable degraded']],
    ['answers late here', { parts: { temporal: 'late' } }, ['degraded', 'temporal_unreachable degraded']],
    [
      'answers neither here nor any worker',
      { parts: { temporal: 'down' }, workers: [without] },
      ['down', 'temporal_unreachable down'],
    ],
    [
      'does not answer here, and there is no worker',
      { parts: { temporal: 'down' }, workers: [] },
      ['down', 'no_worker down', 'temporal_unreachable down'],
    ],
    ['answered a dead worker not', { workers: [WORKER, { ...without, isAlive: false }] }, ['healthy']],
  ])('%s', (_, facts, expected) => {
    expect(judged(facts)).toEqual(expected);
  });

  test('the reason contains the result of the check', () => {
    const message = (reasons: Record<string, string>) =>
      judgeService({ parts: { ...UP, temporal: 'down' }, reasons, read: READ }).reasons[0]?.message;
    expect(message({ temporal: 'Temporal cannot be reached' })).toContain(
      'Temporal cannot be reached; the workers reached',
    );
    expect(message({})).toContain('Temporal does not respond; the workers reached');
  });
});

test.each<[name: string, facts: Parameters<typeof judged>[0], expected: string[]]>([
  ['deliveries of five minutes', { oldestDueMs: 5 * MINUTE }, ['healthy']],
  ['deliveries of more', { oldestDueMs: 5 * MINUTE + 1 }, ['degraded', 'backlog_old degraded']],
  ['scheduled messages of five minutes', { oldestScheduledMs: 5 * MINUTE }, ['healthy']],
  ['scheduled messages of more', { oldestScheduledMs: 5 * MINUTE + 1 }, ['degraded', 'scheduled_late degraded']],
])('%s that wait', (_, facts, expected) => {
  expect(judged(facts)).toEqual(expected);
});

test('the worst reasons come first and decide', () => {
  expect(judged({ parts: { rowSecurity: 'down' }, oldestDueMs: 12 * MINUTE, workers: [] })).toEqual([
    'down',
    'no_worker down',
    'row_security_off degraded',
    'backlog_old degraded',
  ]);
});

test('workers and Temporal are up as long as one running worker reaches Temporal', () => {
  expect(deliveringServers({ living: 0, withoutTemporal: 0 })).toEqual({ worker: 'down', temporal: 'unknown' });
  expect(deliveringServers({ living: 2, withoutTemporal: 1 })).toEqual({ worker: 'up', temporal: 'up' });
  expect(deliveringServers({ living: 2, withoutTemporal: 2 })).toEqual({ worker: 'up', temporal: 'down' });
});
