import { describe, expect, test } from '@jest/globals';
import { planOf } from '../plan/compile.ts';
import { readableIn } from './readable.ts';

type Written = { id: string; type: string; config?: object; next?: string | null };

const log = (id: string, next?: string, config: object = {}): Written => ({
  id,
  type: 'action',
  config: { action: 'log', ...config },
  ...(next !== undefined && { next }),
});
const condition = (id: string, yes: string | null | undefined, no: string | null | undefined, next?: string) => ({
  id,
  type: 'condition',
  // oxlint-disable-next-line unicorn/no-thenable -- the field's public name
  config: { expression: 'true', ...(yes !== undefined && { then: yes }), ...(no !== undefined && { else: no }) },
  ...(next !== undefined && { next }),
});
const each = (id: string, body: string, next?: string, config: object = {}): Written => ({
  id,
  type: 'foreach',
  config: { items: '[1]', body, ...config },
  ...(next !== undefined && { next }),
});
const parallel = (id: string, branches: string[], next: string, config: object = {}): Written => ({
  id,
  type: 'parallel',
  config: { branches, ...config },
  next,
});

/** `a b` of steps that surely ran, and `c?` of those that may have. */
function before(steps: Written[], id: string, where: 'before' | 'collected' = 'before'): string {
  const { may, surely } = readableIn(planOf(undefined, steps).steps)[where](id);
  return [...may]
    .toSorted()
    .map((each) => (surely.has(each) ? each : `${each}?`))
    .join(' ');
}

describe('a step can certainly read', () => {
  test('the steps before it in its chain, including a plain list', () => {
    expect(before([log('a', 'b'), log('b', 'c'), log('c')], 'c')).toBe('a b');
    expect(before([log('a'), log('b'), log('c')], 'c')).toBe('a b');
  });

  test('no step that is on only one of two paths that meet', () => {
    const steps = [condition('if', 'yes', 'no'), log('yes', 'end'), log('no', 'end'), log('end')];
    expect(before(steps, 'yes')).toBe('if');
    expect(before(steps, 'end')).toBe('if no? yes?');
    expect(before([condition('if', 'yes', undefined, 'end'), log('yes', 'end'), log('end')], 'end')).toBe('if yes?');
  });

  test('a step on a path if the other path does not return', () => {
    const steps = [condition('if', 'yes', null), log('yes', 'end'), log('end')];
    expect(before(steps, 'end')).toBe('if yes');
    // `next` is no way of a condition that names both.
    expect(before([condition('if', 'yes', 'no', 'end'), log('yes', 'end'), log('no'), log('end')], 'end')).toBe(
      'if yes',
    );
  });

  test('the cases of a switch like the targets of a condition', () => {
    const cases = [{ when: 'true', next: 'a' }];
    const steps = [
      { id: 'which', type: 'switch', config: { cases, default: 'b' } },
      log('a', 'end'),
      log('b', 'end'),
      log('end'),
    ];
    expect(before(steps, 'end')).toBe('a? b? which');
  });

  test('a step that is skipped by its expression, or that fails and continues', () => {
    expect(before([log('a', 'b', { if: 'false' }), log('b', 'c', { onError: 'continue' }), log('c')], 'c')).toBe('a b');
  });

  test('a failed step where its failure leads, but not the steps after it', () => {
    const onError = [{ errors: ['*'], next: 'mend' }];
    const steps = [log('a', 'b', { onError }), log('b', 'end'), log('mend', 'end'), log('end')];
    expect(before(steps, 'mend')).toBe('a');
    expect(before(steps, 'end')).toBe('a b? mend?');
  });

  test('all branches after a parallel step, but none if it fails, is skipped or races', () => {
    const branches = [log('x', 'x2'), log('x2'), condition('y', 'y2', null), log('y2')];
    const of = (config: object) => [parallel('both', ['x', 'y'], 'end', config), ...branches, log('end')];
    expect(before(of({}), 'end')).toBe('both x x2 y y2?');
    expect(before(of({}), 'y2')).toBe('y');
    expect(before(of({ mode: 'race' }), 'end')).toBe('both x? x2? y? y2?');
    expect(before(of({ if: 'true' }), 'end')).toBe('both x? x2? y? y2?');
    expect(before(of({ onError: 'continue' }), 'end')).toBe('both x? x2? y? y2?');
  });

  test("a loop's body only inside it, and not the loop inside its body", () => {
    const steps = [log('a', 'each'), each('each', 'x', 'end'), condition('x', 'y', null), log('y'), log('end')];
    expect(before(steps, 'x')).toBe('a');
    expect(before(steps, 'each', 'collected')).toBe('a x y?');
    expect(before(steps, 'end')).toBe('a each');
    const inner = [each('out', 'in'), each('in', 'z', 'w'), log('z'), log('w')];
    expect(before(inner, 'out', 'collected')).toBe('in w');
  });

  test('a filter after it, but what follows a filter in a body only optionally', () => {
    const passed = { id: 'f', type: 'filter', config: { expression: 'true' }, next: 'g' };
    expect(before([passed, log('g')], 'g')).toBe('f');
    expect(before([each('each', 'f', 'end'), passed, log('g'), log('end')], 'each', 'collected')).toBe('f g?');
  });

  test('the targets of waits and decisions', () => {
    const wait = { id: 'w', type: 'wait_for_event', config: { eventTypes: ['a'], onTimeout: 'late' }, next: 'm' };
    expect(before([wait, log('m', 'end'), log('late', 'end'), log('end')], 'end')).toBe('late? m? w');
    const ask = { id: 'q', type: 'approval', config: { title: 'x', approved: 'm', rejected: 'n' } };
    expect(before([ask, log('m', 'end'), log('n', 'end'), log('end')], 'end')).toBe('m? n? q');
    const only = { id: 'q', type: 'approval', config: { title: 'x', approved: 'm' } };
    expect(before([only, log('m', 'end'), log('end')], 'end')).toBe('m q');
  });
});
