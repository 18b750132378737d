import type { Attacker } from './attacker.ts';
import { type HostileInput, post, times } from './input.ts';

type Step = { id: string; type: string; config: object; next?: string | null };

async function activate(
  attacker: Attacker,
  steps: readonly Step[],
  trigger: object = { type: 'manual' },
): Promise<string> {
  const { id } = await attacker.call('POST', '/v1/workflows', { name: 'hostile', trigger, steps });
  await attacker.call('POST', `/v1/workflows/${id}/activate`);
  return id;
}

type Running = Pick<HostileInput, 'name' | 'parser' | 'reached'> & {
  steps: () => readonly Step[];
  payload?: () => object;
};
/** Two runs at a time, each of which ends before the next one is started. */
const running = ({ steps, payload = () => ({}), ...input }: Running): HostileInput => ({
  ...input,
  who: 'an author',
  atOnce: 2,
  async begin(attacker) {
    const id = await activate(attacker, steps());
    const given = payload();
    return () => attacker.run(id, given);
  },
});

/** A run asks a receiver, which answers with this. */
const answered = (name: string, body: () => string): HostileInput => ({
  name: `run: a receiver answers ${name}`,
  parser: 'responses to steps',
  who: 'a receiver',
  atOnce: 2,
  reached: 'completed',
  async begin(attacker) {
    const url = await attacker.receiver(body());
    const id = await activate(attacker, [{ id: 'ask', type: 'action', config: { action: 'http', url } }]);
    return () => attacker.run(id, {});
  },
});

const poison = (type: string, config: object): Step[] => [{ id: 'poison', type, config }];
const list = times(1_000, (at) => at);
const LARGE = (): object => ({ members: Object.fromEntries(times(5_000, (at) => [`m${at}`, at])), list });
const WORDS = (): object => ({ words: times(10_000, (at) => `wo-${at}`), list });
const TEXTS = (): object => ({ a: `${'x'.repeat(120_000)}a`, b: `${'x'.repeat(120_000)}b`, list });
const copies = times(800, () => '{{ event.payload }}');
const MAPS = `event.payload.list.map(n, {${times(16, (at) => `"k${at}": event.payload.members`).join(', ')}})`;
const nested = (predicate: string): string =>
  `event.payload.list.map(a, event.payload.list.filter(b, ${times(8, () => predicate).join(' || ')}))`;
const LOOKING = nested('"wo-x" in event.payload.words');
const COMPARING = nested('event.payload.a == event.payload.b');
const HIDDEN = 'x'.repeat(100);

/** Runs of workflows whose expressions or receivers give too much, and receivers of deliveries. */
export const RUN_INPUTS: readonly HostileInput[] = [
  running({
    name: 'run: 16,000 references to one object',
    parser: 'expressions',
    reached: 'failed PAYLOAD_TOO_LARGE',
    steps: () => poison('transform', { set: { all: `{{ ${MAPS} }}` } }),
    payload: LARGE,
  }),
  running({
    name: 'run: 800 references to the payload',
    parser: 'templates',
    reached: 'failed PAYLOAD_TOO_LARGE',
    steps: () => poison('action', { action: 'log', copies }),
    payload: LARGE,
  }),
  running({
    name: 'run: a text of 500 payloads',
    parser: 'templates',
    reached: 'failed PAYLOAD_TOO_LARGE',
    steps: () => poison('transform', { set: { text: copies.slice(300).join('') } }),
    payload: LARGE,
  }),
  running({
    name: 'run: 80 million items that are looked at',
    parser: 'expressions',
    reached: 'failed EXPRESSION',
    steps: () => poison('condition', { expression: `size(${LOOKING}) > 0` }),
    payload: WORDS,
  }),
  running({
    name: 'run: 960 GB that are compared',
    parser: 'expressions',
    reached: 'failed EXPRESSION',
    steps: () => poison('filter', { expression: `size(${COMPARING}) > 0` }),
    payload: TEXTS,
  }),
  answered('a text of escaped quotes that never ends', () => `"${'\\"'.repeat(125_000)}`),
  answered('400 KB of escapes', () => `"${'\\"'.repeat(200_000)}"`),
  answered('80,000 lists', () => `[${'[],'.repeat(80_000)}1]`),
  answered('125,000 levels', () => '['.repeat(125_000) + ']'.repeat(125_000)),
  answered('120,000 numbers', () => `[${'1,'.repeat(120_000)}1]`),
  {
    name: 'run: 60 secrets are masked in 120,000 numbers',
    parser: 'responses to steps',
    who: 'a receiver',
    atOnce: 2,
    reached: 'completed',
    async begin(attacker) {
      const names = times(60, (at) => `HIDDEN_${at}`);
      for (const name of names) await attacker.call('POST', '/v1/secrets', { name, value: `${name}-${HIDDEN}` });
      const url = await attacker.receiver(`[${'1,'.repeat(120_000)}"HIDDEN_7-${HIDDEN}"]`);
      const headers = Object.fromEntries(
        names.map((name) => [`x-${name.replaceAll('_', '-')}`, `{{ secrets.${name} }}`]),
      );
      const id = await activate(attacker, [{ id: 'ask', type: 'action', config: { action: 'http', url, headers } }]);
      return () => attacker.run(id, {});
    },
  },
  {
    name: 'run: 20 workflows with a costly filter begin by the largest message',
    parser: 'filters',
    who: 'an author',
    atOnce: 2,
    reached: '202',
    async begin(attacker) {
      const channelId = await attacker.channel();
      const filter = 'payload.words.exists(w, w == payload.last)';
      for (const _ of times(20, (n) => n))
        await activate(attacker, [{ id: 'a', type: 'action', config: {} }], {
          type: 'event',
          config: { channelId, filter: filter.replaceAll('payload', 'event.payload') },
        });
      const payload = { words: times(5_000, (at) => `${'w'.repeat(20)}${at}`), last: 'none' };
      const request = post(`/v1/channels/${channelId}/messages`, { eventType: 'a', payload });
      return () => attacker.sendKeyed(request);
    },
  },
  {
    name: 'delivery: 20 receivers answer 64 KiB',
    parser: 'responses to deliveries',
    who: 'a receiver',
    atOnce: 2,
    reached: '202',
    async begin(attacker) {
      const channelId = await attacker.channel();
      const webhookUrl = await attacker.receiver(`"${'\\"'.repeat(500_000)}`);
      for (const _ of times(20, (n) => n)) await attacker.call('POST', '/v1/subscriptions', { channelId, webhookUrl });
      const request = post(`/v1/channels/${channelId}/messages`, { eventType: 'a', payload: {} });
      return () => attacker.sendKeyed(request);
    },
  },
];
