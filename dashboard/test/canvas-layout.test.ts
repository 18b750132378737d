import { expect, test } from '@jest/globals';
import { flowOf } from '../src/lib/flow-graph.ts';
import { placed } from '../src/pages/workflows/canvas/layout.ts';

type Corner = readonly [number, number];

/** Returns the corners of a line. A rounded corner is given by the second coordinate pair of its curve. */
const cornersOf = (path: string): Corner[] =>
  [...path.matchAll(/[MLQ](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]): Corner => [Number(x), Number(y)]);

const piecesOf = (path: string): (readonly [Corner, Corner])[] => {
  const corners = cornersOf(path);
  return corners.slice(1).flatMap((to, at) => {
    const from = corners[at];
    return from === undefined ? [] : [[from, to] as const];
  });
};

/** Whether a horizontal and a vertical piece have a point in common other than their ends. */
function isCrossing([a, b]: readonly [Corner, Corner], [c, d]: readonly [Corner, Corner]): boolean {
  if (Math.abs(a[1] - b[1]) > 0.5 || Math.abs(c[0] - d[0]) > 0.5) return false;
  const between = (value: number, one: number, other: number): boolean =>
    value > Math.min(one, other) + 1 && value < Math.max(one, other) - 1;
  return between(c[0], a[0], b[0]) && between(a[1], c[1], d[1]);
}

/** Returns the pairs of transitions of one step whose lines cross. */
function crossed(steps: readonly unknown[]): string[] {
  const flow = flowOf(JSON.stringify({ trigger: { type: 'manual' }, steps }));
  if (flow === undefined) throw new Error('no flow');
  const { ways } = placed(flow);
  return ways.flatMap((one) =>
    ways
      .filter(({ way }) => way.from === one.way.from && way.id !== one.way.id)
      .filter((other) =>
        piecesOf(one.path).some((piece) => piecesOf(other.path).some((next) => isCrossing(piece, next))),
      )
      .map((other) => `${one.way.id} and ${other.way.id}`),
  );
}

/** An object with a member `then` must not be mistaken for a promise. */
const condition = (id: string, branches: string) => ({
  id,
  type: 'condition',
  config: { expression: 'true', ...(JSON.parse(branches) as object) },
});
const approval = (id: string, config: object) => ({ id, type: 'approval', config: { title: 'Refund?', ...config } });
const log = (id: string, next: string | null) => ({ id, type: 'action', config: { action: 'log', text: '' }, next });

// "Run ends" was below `approved`, so it was unclear which of the two led there.
test('the end of a rejection is below its label if the approved branch turns sideways', () => {
  const steps = [
    condition('check', '{"then": "ask", "else": "pay"}'),
    approval('ask', { approved: 'pay', rejected: null }),
    log('pay', null),
  ];
  expect(crossed(steps)).toEqual([]);
  const flow = flowOf(JSON.stringify({ trigger: { type: 'manual' }, steps }));
  const { caps, ways } = placed(flow ?? { trigger: { kind: '', config: {} }, steps: [], ways: [], isSound: true });
  const cap = caps.find(({ id }) => id === 'ask>rejected end');
  const label = ways.find(({ way }) => way.id === 'ask>rejected')?.labelAt;
  expect((cap?.x ?? 0) + (cap?.width ?? 0) / 2).toBeCloseTo(label?.x ?? NaN, 1);
});

test('a branch that passes a step does not cross the branch that leads to it', () => {
  const steps = [
    condition('large', '{"then": "approve", "else": "pay"}'),
    approval('approve', { approved: 'pay', rejected: 'note' }),
    log('pay', 'note'),
    log('note', null),
  ];
  expect(crossed(steps)).toEqual([]);
});

test.each([
  [['x', null, 'y'], null],
  [['y', 'x', null], 'x'],
  [[null, 'y', 'x'], 'y'],
])('cases that lead to %j, and else to %j, do not cross', (targets, otherwise) => {
  const cases = targets.map((next, at) => ({ when: `event.payload.a == ${at}`, next }));
  const route = { id: 'route', type: 'switch', config: { cases, default: otherwise } };
  expect(crossed([route, log('x', 'y'), log('y', null)])).toEqual([]);
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('a step may be called %s', (id) => {
  const flow = flowOf(
    `{"trigger":{"type":"manual"},"steps":[{"id":"${id}","type":"action","config":{"action":"log","text":"x"}},{"id":"b","type":"action","config":{"action":"log","text":"x"}}]}`,
  );
  if (flow === undefined) throw new Error('no flow');
  const { nodes, ways, width, height } = placed(flow);
  expect([width, height].every(Number.isFinite)).toBe(true);
  expect(nodes.size).toBe(3);
  expect(ways).toHaveLength(3);
  for (const { path } of ways) expect(path).not.toContain('NaN');
});
