import { expect, test } from '@jest/globals';
import { Gauge, Registry } from 'prom-client';
import { metricValuesOf } from '../../platform/observe/metrics-server.ts';
import { createObserver, type Observed } from './observe.ts';
import type { ToProcess } from './messages.ts';
import { createQuestions } from './questions.ts';

type Process = Observed & { name: string };
type Asked = Extract<ToProcess, { kind: 'observe' }>;

const backlogOf = async (value: number) => {
  const registry = new Registry();
  new Gauge({ name: 'backlog', help: 'Rows that are due.', registers: [registry] }).set(value);
  return metricValuesOf(registry);
};

const processesOf = (...names: string[]): Process[] => names.map((name) => ({ name, observed: {} }));

/** An observer of these processes, with the scrapes and looks that each was asked for. */
function observe(processes: Process[]) {
  const questions = createQuestions<Process>();
  const asked = new Map<Process, Asked>();
  const observer = createObserver<Process>({
    questions,
    joined: () => processes,
    table: () => [],
    say: (process, message) => void asked.set(process, message),
  });
  return {
    observer,
    wantedOf: (process: Process) => asked.get(process)?.what,
    /** No answer of one comes in time. Its question ends as it does when the patience with it ends, without the wait. */
    hang: (process: Process) => questions.leave(process),
    /** One process answers what it was asked last; its reading of the database, where that was wanted, is `backlog`. */
    async answer(process: Process, backlog: number): Promise<void> {
      const { question, what } = asked.get(process) ?? { question: 0, what: 'metrics' };
      const database = what === 'metrics and database' ? await backlogOf(backlog) : undefined;
      observer.hear(process, { kind: 'observed', question, page: { own: [], database, temporal: '' } });
    },
  };
}

const shownBy = (page: string): number => Number(/^backlog (\d+)$/m.exec(page)?.[1]);

test('one process reads the database at every scrape, in whatever order all of them answer', async () => {
  const processes = processesOf('one', 'two', 'three');
  const { observer, wantedOf, answer } = observe(processes);
  // Each remembers its own reading for ten seconds: whoever answered last was the next reader, and the figures went back.
  for (const backlog of [1, 2, 3, 4]) {
    const page = observer.page();
    expect(processes.map(wantedOf)).toEqual(['metrics and database', 'metrics', 'metrics']);
    for (const process of backlog % 2 === 0 ? processes : processes.toReversed()) await answer(process, backlog);
    expect(shownBy(await page)).toBe(backlog);
  }
});

test('a process that hangs is replaced as reader, and neither its old page nor its late reply hides the new reading', async () => {
  const processes = processesOf('first', 'second');
  const { observer, wantedOf, answer, hang } = observe(processes);
  const [first, second] = processes as [Process, Process];
  const scrape = async (backlog: number, ...silent: Process[]): Promise<number> => {
    const page = observer.page();
    for (const process of processes) await (silent.includes(process) ? hang(process) : answer(process, backlog));
    return shownBy(await page);
  };
  expect(await scrape(1)).toBe(1);
  // The last reading stays until another process is asked.
  expect(await scrape(2, first)).toBe(1);
  expect(await scrape(3, first)).toBe(3);
  expect(wantedOf(second)).toBe('metrics and database');
  await answer(first, 1);
  expect(await scrape(4)).toBe(4);
  expect([first, second].map(wantedOf)).toEqual(['metrics', 'metrics and database']);
});

test('a reader that has died, or that cannot read, is replaced by another one', async () => {
  const [first, second] = processesOf('first', 'second') as [Process, Process];
  const processes = [first, second];
  const { observer, wantedOf, answer } = observe(processes);
  const scrape = async (backlog: number): Promise<number> => {
    const page = observer.page();
    for (const process of processes) await answer(process, backlog);
    return shownBy(await page);
  };
  const failing = observer.page();
  observer.hear(first, { kind: 'observed', question: 1 });
  await answer(second, 1);
  expect(shownBy(await failing)).toBeNaN();
  expect(await scrape(2)).toBe(2);
  expect(wantedOf(second)).toBe('metrics and database');
  processes.pop();
  expect(await scrape(3)).toBe(3);
  expect(wantedOf(first)).toBe('metrics and database');
});

test('a readiness check does not take the reading away from a scrape in progress', async () => {
  const [only] = processesOf('only') as [Process];
  const { observer, answer } = observe([only]);
  const page = observer.page();
  await answer(only, 1);
  const ready = observer.ready();
  observer.hear(only, { kind: 'observed', question: 2, ready: { isReady: true, reasons: {} } });
  expect([shownBy(await page), await ready]).toEqual([1, { isReady: true, reasons: {} }]);
});
