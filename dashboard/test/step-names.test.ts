import { describe, expect, test } from '@jest/globals';
import { withStepId } from '../src/lib/definition-edit.ts';
import { renamedInExpression, renamedInTemplate } from '../src/lib/step-references.ts';

describe('expressions follow a renamed step:', () => {
  test.each([
    ['steps.get.output.id', 'load', 'steps.load.output.id'],
    ['steps . get.output + steps.?get.output', 'load', 'steps . load.output + steps.?load.output'],
    ['steps["get"].status + steps[?\'get\'].status', 'load', 'steps["load"].status + steps[?"load"].status'],
    // Another step, a member of something else, and a text.
    ['steps.getter.output', 'load', 'steps.getter.output'],
    ['event.payload.steps.get', 'load', 'event.payload.steps.get'],
    ['mysteps.get', 'load', 'mysteps.get'],
    ['"steps.get" + \'steps.get\' + steps.get.output', 'load', '"steps.get" + \'steps.get\' + steps.load.output'],
    ['event.payload[steps.get.output.steps.get]', 'load', 'event.payload[steps.load.output.steps.get]'],
    // An id that is not an identifier is in brackets.
    ['steps.get.output && steps.?get.output.x', 'get-2', 'steps["get-2"].output && steps[?"get-2"].output.x'],
    ['has(steps.get) ? 1 : 2', 'get-2', 'steps[?"get-2"].hasValue() ? 1 : 2'],
    ['has(steps.get) ? 1 : 2', 'load', 'has(steps.load) ? 1 : 2'],
  ])('%s as %s', (expression, id, renamed) => {
    expect(renamedInExpression(expression, 'get', id)).toBe(renamed);
  });

  test('in templates only inside an expression', () => {
    const text =
      'steps.get of {{ {"a": {"b": steps.get.output}} }}, "}}" {{ "}}" + steps.get.output }} steps.get {{ open';
    expect(renamedInTemplate(text, 'get', 'load')).toBe(
      'steps.get of {{ {"a": {"b": steps.load.output}} }}, "}}" {{ "}}" + steps.load.output }} steps.get {{ open',
    );
  });
});

const definition = (id: string, reads: string): string => `{
  "steps": [
    { "id": "${id}", "type": "action", "config": { "action": "log", "n": 12.50, "output": "{{ ${reads}.output }}" }, "next": "if" },
    { "id": "if", "type": "condition", "config": { "if": "${reads}.status == 'completed'", "expression": "has(${reads})", "then": "${id}" } },
    { "id": "each", "type": "foreach", "config": { "items": "${reads}.output.list", "collect": "${reads}.output", "body": "say" } },
    { "id": "say", "type": "action", "config": { "action": "log", "text": ["{{ ${reads}.output }} steps.old"], "if-not": "steps.old" } },
    { "id": "which", "type": "switch", "config": { "cases": [{ "when": "${reads}.output.ok", "next": "${id}" }] } },
    { "id": "wait", "type": "wait_for_event", "config": { "match": [{ "event": "event.id", "run": "${reads}.output.id" }], "onError": [{ "errors": ["*"], "next": "${id}" }] } }
  ]
}`;

test('transitions and expressions follow a renamed step, and nothing else in the text changes', () => {
  expect(withStepId(definition('old', 'steps.old'), 0, 'new')).toBe(definition('new', 'steps.new'));
});

test('nothing follows an id that another step already has', () => {
  const text = definition('old', 'steps.old');
  expect(withStepId(text, 0, 'if')).toBe(text.replace('"id": "old"', '"id": "if"'));
});
