import { afterEach, expect, test } from '@jest/globals';
import { createOutages, lengthOf, type Outages, suspectedBy } from './outages.ts';

type Told = { fields: Record<string, unknown>; sentence: string };

let outages: Outages | undefined;
afterEach(() => outages?.stop());

/** A server that answers while `isThere`, and a clock that a test sets. */
function scene() {
  const told: Told[] = [];
  const state = { isThere: true, now: 0, asked: 0, askedAnew: 0 };
  outages = createOutages(
    (fields, sentence) => told.push({ fields, sentence }),
    () => state.now,
    { askEveryMs: 1, askAgainMs: 1, settlesMs: 1, tellEveryMs: 60_000 },
  );
  const end = outages.watch('PostgreSQL', {
    async ask(isAway) {
      state.asked += 1;
      if (isAway) state.askedAnew += 1;
      if (!state.isThere) throw new Error('nothing listens');
    },
    explain: (failure) => `DATABASE_URL: ${failure instanceof Error ? failure.message : ''}`,
    meanwhile: 'calls are answered with 503',
  });
  const asks = async (): Promise<void> => {
    const before = state.asked;
    for (const deadline = Date.now() + 10_000; state.asked < before + 3 && Date.now() < deadline; )
      await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const sentences = (): string[] => told.map(({ sentence }) => sentence);
  return { told, sentences, state, asks, end, outages };
}

const refused = new Error('connect ECONNREFUSED');

test('an outage that nobody complains of is one line at its begin, one a minute and one at its end', async () => {
  const { told, sentences, state, asks, outages: met } = scene();
  await asks();
  expect(told).toEqual([]);
  state.isThere = false;
  await asks();
  expect(sentences()).toEqual([
    'PostgreSQL is unavailable: DATABASE_URL: nothing listens; calls are answered with 503',
  ]);
  expect(told[0]?.fields).toEqual({ server: 'PostgreSQL', err: new Error('nothing listens') });
  expect(met.states()).toEqual(new Map([['PostgreSQL', true]]));
  state.now = 59_000;
  await asks();
  expect(told).toHaveLength(1);
  state.now = 60_000;
  await asks();
  expect(sentences().at(-1)).toBe('PostgreSQL has been unavailable for 1 min; calls are answered with 503');
  state.now = 119_000;
  await asks();
  expect(told).toHaveLength(2);
  state.isThere = true;
  await asks();
  state.now = 121_000;
  await asks();
  expect(sentences().at(-1)).toBe('PostgreSQL is available again after 1 min 59 s; this process uses it again');
  expect(told).toHaveLength(3);
  expect(met.states()).toEqual(new Map([['PostgreSQL', false]]));
});

test('a failure that is surely of the server begins an outage at once, and lines about it are left out and counted', async () => {
  const { told, state, asks, outages: met } = scene();
  state.isThere = false;
  const complaint = { server: 'PostgreSQL', isSure: true } as const;
  expect([met.meet(complaint, refused), met.meet(complaint, refused)]).toEqual([true, true]);
  expect(told).toHaveLength(1);
  expect(met.meet({ server: 'PostgreSQL', isSure: false }, refused)).toBe(true);
  state.isThere = true;
  await asks();
  state.now = 3_000;
  await asks();
  expect(told.at(-1)?.fields).toEqual({ server: 'PostgreSQL', outageMs: 0, suppressedLines: 3 });
});

test('a failure that a busy server has too is written, and begins an outage only when the server does not answer', async () => {
  const { told, state, asks, outages: met } = scene();
  const complaint = { server: 'PostgreSQL', isSure: false } as const;
  expect(met.meet(complaint, refused)).toBe(false);
  await asks();
  expect(told).toEqual([]);
  state.isThere = false;
  expect(met.meet(complaint, refused)).toBe(false);
  await asks();
  expect(told).toHaveLength(1);
  expect(met.meet(complaint, refused)).toBe(true);
});

test('a server that nobody watches has no outages, and neither has one that is watched no more', async () => {
  const { told, state, end, outages: met } = scene();
  expect(met.meet({ server: 'Redis', isSure: true }, refused)).toBe(false);
  end();
  state.isThere = false;
  expect(met.meet({ server: 'PostgreSQL', isSure: true }, refused)).toBe(false);
  expect(told).toEqual([]);
});

test('a server that is down is checked with a new connection', async () => {
  const { state, asks } = scene();
  await asks();
  expect(state.askedAnew).toBe(0);
  state.isThere = false;
  await asks();
  await asks();
  expect(state.askedAnew).toBeGreaterThan(0);
});

test.each([
  [400, '0.4 s'],
  [12_300, '12 s'],
  [60_000, '1 min'],
  [70_400, '1 min 10 s'],
  [7_500_000, '2 h 5 min'],
  [3_600_000, '1 h'],
])('%i ms read as %s', (ms, text) => {
  expect(lengthOf(ms)).toBe(text);
});

const withCode = (code: string | number, message = 'text', name = 'Error'): Error =>
  Object.assign(new Error(message), { code, name });

const sure = (server: string) => ({ server, isSure: true });
const perhaps = (server: string) => ({ server, isSure: false });

test.each([
  ['a session that an administrator ended', withCode('57P01'), sure('PostgreSQL')],
  ['a standby after a failover', withCode('25006'), sure('PostgreSQL')],
  [
    'a database that Prisma cannot reach',
    withCode('P1001', 'text', 'PrismaClientKnownRequestError'),
    sure('PostgreSQL'),
  ],
  ['a connection that broke', new Error('Connection terminated unexpectedly'), sure('PostgreSQL')],
  ['too many connections', withCode('53300'), perhaps('PostgreSQL')],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect'), perhaps('PostgreSQL')],
  ['a call that Temporal does not take', withCode(14, 'text', 'ServiceError'), sure('Temporal')],
  ['a call that Temporal does not answer', withCode(4, 'text', 'ServiceError'), perhaps('Temporal')],
  [
    'a schedule that Temporal does not take',
    Object.assign(new Error('x', { cause: withCode(14, 'text', 'ServiceError') })),
    sure('Temporal'),
  ],
  ['a refused connection of nobody knows what, such as a mail server', withCode('ECONNREFUSED'), undefined],
  ['a duplicate', withCode('23505'), undefined],
  ['no error', undefined, undefined],
])('%s', (_, err, suspicion) => {
  expect(suspectedBy({ err }, 'text')).toEqual(suspicion);
});

test("the native library's failures are texts, under `error` or in the line itself", () => {
  const unavailable = 'Status { code: Unavailable, message: "tcp connect error" }';
  expect(suspectedBy({ part: 'temporal', error: unavailable }, 'gRPC call retried 5 times')).toEqual(sure('Temporal'));
  expect(suspectedBy({ part: 'temporal' }, `Error when recording heartbeat: ${unavailable}`)).toEqual(sure('Temporal'));
  expect(suspectedBy({ part: 'temporal', error: 'code: DeadlineExceeded' }, 'x')).toEqual(perhaps('Temporal'));
  expect(suspectedBy({ part: 'temporal' }, 'Workflow failed')).toBeUndefined();
  expect(suspectedBy({ error: unavailable }, 'x')).toBeUndefined();
});

test('a failure that has been through a Temporal workflow is a text too', () => {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:5432');
  const error = new Error('Activity task failed', { cause });
  expect(suspectedBy({ part: 'temporal', error }, 'Workflow failed')).toEqual(perhaps('PostgreSQL'));
  expect(suspectedBy({ part: 'temporal', error: new Error('Activity task failed') }, 'x')).toBeUndefined();
  expect(suspectedBy({ part: 'temporal', error: 7 }, 'x')).toBeUndefined();
});

test("Redis's failures are those of lines that name it", () => {
  const err = withCode('ECONNREFUSED');
  expect(suspectedBy({ server: 'Redis', err }, 'x')).toEqual(sure('Redis'));
  expect(suspectedBy({ server: 'Redis' }, 'x')).toBeUndefined();
});
