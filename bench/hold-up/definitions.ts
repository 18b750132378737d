import { get, type HostileInput, listed, post, times } from './input.ts';
import { JSON_TYPE } from './request.ts';

type Step = { id: string; type: string; config: object; next?: string | null };
const MANUAL = { type: 'manual' };

/** Steps one after the other. */
const chain = (count: number, of: (index: number) => Omit<Step, 'id'>): Step[] =>
  times(count, (at) => ({ id: `s${at}`, ...of(at), next: at + 1 < count ? `s${at + 1}` : null }));

type Given = Pick<HostileInput, 'name' | 'parser'> & { steps?: () => Step[]; trigger?: object; atOnce?: number };
/** Has a definition checked; it is told what is wrong with it. */
const checked = ({ steps = () => [], trigger = MANUAL, atOnce = 1, ...input }: Given): HostileInput => ({
  ...input,
  who: 'an author',
  atOnce,
  reached: '200',
  begin(attacker) {
    const request = post('/v1/workflows/validate', { name: 'hostile', trigger, steps: steps() });
    return () => attacker.sendKeyed(request);
  },
});

const SWITCHES = (): Step[] =>
  times(100, (at) => ({
    id: `s${at}`,
    type: 'switch',
    config: {
      cases: times(20, (way) => ({ when: 'true', next: `x${at}_${way}_${'y'.repeat(50)}` })),
      onError: times(10, (way) => ({ errors: ['*'], next: `z${at}_${way}_${'q'.repeat(40)}` })),
    },
  }));
const NEARLY_NAMED = (): Step[] =>
  times(100, (at) => ({
    id: `${'s'.repeat(61)}${at + 100}`,
    type: 'switch',
    config: { cases: times(20, () => ({ when: 'true', next: `${'s'.repeat(60)}xyz${at % 10}` })) },
  }));
const UNKNOWN_STEPS = (): Step[] => [
  ...times(40, (at) => ({
    id: `loop${at}`,
    type: 'foreach',
    config: { items: 'event.payload.list', body: `in${at}` },
    next: `loop${at + 1}`,
  })),
  { id: 'loop40', type: 'action', config: { action: 'log', text: '{{steps.in39.output}}'.repeat(11_000) } },
  ...times(40, (at) => ({ id: `in${at}`, type: 'action', config: {} })),
];
const ERROR_NAMES = (): Step[] =>
  chain(100, (at) => ({
    type: 'filter',
    config: {
      expression: 'true',
      retryPolicy: { nonRetryableErrors: times(20, (name) => `NOPE_${at}_${name}`) },
      onError: times(8, () => ({ errors: times(18, (name) => `BAD_${name}`), next: 's99' })),
    },
  }));
const LATER_WAYS = (): Step[] =>
  times(100, (at) => ({
    id: `s${at}`,
    type: 'switch',
    config: {
      cases: times(20, (way) => ({ when: 'true', next: at === 99 ? null : `s${Math.min(99, at + way + 1)}` })),
      onError: times(10, (way) => ({ errors: ['*'], next: `s${Math.min(99, at + way + 21)}` })),
    },
  }));
/** 1,990 characters that take long to compile, different for each number. */
const dearCondition = (index: number): string =>
  times(60, (part) => `event.payload.a${part}.b == ${index}${'0'.repeat(8)}`)
    .join(' || ')
    .slice(0, 1_990)
    .replace(/ \|\|[^|]*$/, '');
const SECRET_HEADERS = (): Step[] => [
  {
    id: 'a',
    type: 'action',
    config: {
      action: 'http',
      url: 'https://a.example',
      headers: Object.fromEntries(times(2_000, (at) => [`k${at}`, '{{secrets.A}}'])),
    },
  },
];

/** Definitions of workflows of the largest size, and trials of them. */
export const DEFINITION_INPUTS: readonly HostileInput[] = [
  checked({ name: 'definition: 100 switches with 3,000 dangling ways', parser: 'definitions', steps: SWITCHES }),
  checked({ name: 'definition: names that are nearly those of all steps', parser: 'definitions', steps: NEARLY_NAMED }),
  checked({ name: 'definition: 11,000 templates of unknown steps', parser: 'templates', steps: UNKNOWN_STEPS }),
  checked({ name: 'definition: 17,000 unknown error names', parser: 'definitions', steps: ERROR_NAMES }),
  checked({ name: 'definition: 2,000 headers with secrets', parser: 'templates', steps: SECRET_HEADERS }),
  checked({
    name: 'definition: 100 conditions of 1,990 characters',
    parser: 'expressions',
    steps: () => chain(100, (at) => ({ type: 'filter', config: { expression: dearCondition(at) } })),
  }),
  checked({
    name: 'definition: 100 filters that are texts without an end',
    parser: 'filters',
    steps: () =>
      chain(100, () => ({
        type: 'wait_for_event',
        config: { eventTypes: ['a'], filter: `"${'\\"'.repeat(850)}` },
      })),
  }),
  checked({
    name: 'definition: 100 switches with 3,000 ways to later steps',
    parser: 'definitions',
    steps: LATER_WAYS,
  }),
  {
    name: 'definition: it begins 100 others of 240 KB',
    parser: 'definitions',
    who: 'an author',
    atOnce: 1,
    reached: '200',
    async begin(attacker) {
      const text = 'x'.repeat(2_300);
      const large = chain(100, () => ({ type: 'action', config: { action: 'log', text } }));
      const ids: string[] = [];
      for (let n = 0; n < 100; n += 1)
        ids.push((await attacker.call('POST', '/v1/workflows', { name: 'large', trigger: MANUAL, steps: large })).id);
      const steps = chain(100, (at) => ({ type: 'workflow', config: { workflowId: ids[at], wait: false } }));
      const request = post('/v1/workflows/validate', { name: 'hostile', trigger: MANUAL, steps });
      return () => attacker.sendKeyed(request);
    },
  },
  {
    name: 'definition: 240 KB that are no definition',
    parser: 'definitions',
    who: 'an author',
    atOnce: 1,
    reached: '',
    begin: (attacker) => () =>
      attacker.sendKeyed(
        post('/v1/workflows/validate', `{"name":"w","trigger":{},"steps":[${listed('{}', 80_000)}]}`, JSON_TYPE),
      ),
  },
  checked({
    name: 'definition: a cron of 3,000 items',
    parser: 'crons',
    atOnce: 4,
    trigger: { type: 'schedule', config: { cron: `${listed('0-59', 3_000)} * * * *` } },
  }),
  checked({
    name: 'definition: a cron that never comes',
    parser: 'crons',
    atOnce: 4,
    trigger: { type: 'schedule', config: { cron: '0 0 30 2 *', timezone: 'Europe/Berlin' } },
    steps: () => [{ id: 'a', type: 'action', config: {} }],
  }),
  {
    name: 'schedule: 20 crons of every minute, when clocks change',
    parser: 'crons',
    who: 'an author',
    atOnce: 1,
    reached: '200',
    async begin(attacker) {
      const cron = [1, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 49, 53, 59, 1, 7, 11, 13].map(
        (step) => `${times(60, (at) => (at * step) % 60).join()} * * * *`,
      );
      const config = { cron, timezone: 'Europe/Berlin', startAt: '2027-03-28T00:30:00Z' };
      const steps = chain(1, () => ({ type: 'action', config: {} }));
      const workflow = { name: 'often', trigger: { type: 'schedule', config }, steps };
      const { id } = await attacker.call('POST', '/v1/workflows', workflow);
      const path = `/v1/workflows/${id}`;
      return async (n) => {
        await attacker.sendKeyed(post(`${path}/${n % 2 === 0 ? 'activate' : 'pause'}`, {}));
        return attacker.sendKeyed(get(`${path}/schedule`));
      };
    },
  },
  {
    name: 'trial: 100 mocks of 5 MiB together',
    parser: 'mocks of trials',
    who: 'an author',
    atOnce: 2,
    reached: '200',
    async begin(attacker) {
      const steps = chain(100, () => ({
        type: 'action',
        config: { action: 'http', url: 'https://a.example', method: 'POST', if: 'false' },
      }));
      const { id } = await attacker.call('POST', '/v1/workflows', { name: 'tried', trigger: MANUAL, steps });
      const mocks = Object.fromEntries(steps.map((step) => [step.id, { output: { text: 'x'.repeat(48_000) } }]));
      const request = post(`/v1/workflows/${id}/test`, { event: { payload: {} }, mocks });
      return () => attacker.sendKeyed(request);
    },
  },
];
