import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('workflow form in a browser', () => {
  /** The definition of a workflow as a form and as JSON: one text, shown in two ways. */
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ dashboard } = entered));

  const DEFINITION = `{
  "name": "Large orders",
  "trigger": { "type": "event", "config": { "eventType": "order.created" } },
  "steps": [
    {
      "id": "check",
      "type": "condition",
      "config": { "expression": "event.payload.total > 12.50", "then": "note", "else": null }
    },
    { "id": "note", "type": "action", "config": { "action": "log", "text": "Large", "own": { "kept": 12.50, "big": 9007199254740993 } } }
  ]
}`;

  const form = (): Locator => dashboard.page.getByRole('group', { name: 'Form' });
  const json = (): Locator => dashboard.page.getByRole('textbox', { name: 'Definition', exact: true });
  const step = (id: string): Locator =>
    form()
      .getByRole('listitem')
      .filter({ has: dashboard.page.locator('summary strong', { hasText: id }) });
  const jsonHas = (part: string): Promise<true> =>
    waitFor(`the JSON has ${part}`, async () => (await json().inputValue()).includes(part));

  test('a change in the form is one of the JSON, and the other way round; all else stays as it was written', async () => {
    const { page } = dashboard;
    await dashboard.open('/workflows/new');
    await page.getByRole('button', { name: 'At set times' }).click();
    expect(await form().getByLabel('Cron expression').inputValue()).toBe('0 9 * * 1-5');
    await json().fill(DEFINITION);
    // A template would take the place of what was written.
    expect(await page.getByRole('button', { name: 'At set times' }).count()).toBe(0);
    expect(await form().getByLabel('Name').inputValue()).toBe('Large orders');
    await form().getByLabel('Types, with commas').fill('order.created, order.paid');
    await form().getByLabel('Filter, as an expression').fill('payload.total > 100');
    await step('note').getByLabel('Text').fill('Large: "{{ event.id }}"');
    await step('check').getByLabel('If not').selectOption('note');
    const written = await json().inputValue();
    expect(written).toBe(
      DEFINITION.replace(
        '"eventType": "order.created"',
        '"eventTypes": ["order.created","order.paid"], "filter": "payload.total > 100"',
      )
        .replace('"text": "Large"', '"text": "Large: \\"{{ event.id }}\\""')
        .replace('"else": null', '"else": "note"'),
    );
    await step('note').getByText('Only in the JSON: config.own').waitFor();

    // A step under another name keeps the ways that lead to it.
    await step('note').getByLabel('Id').fill('tell');
    await step('note').getByLabel('Id').press('Tab');
    await jsonHas('"then": "tell", "else": "tell"');
    // Another kind takes the members of the one before it along, and no more than those.
    await step('tell').getByLabel('Kind').selectOption('Publish a message');
    await jsonHas('"config": { "action": "publish", "own": { "kept": 12.50, "big": 9007199254740993 } }');
    await form().getByRole('button', { name: 'Add a step' }).click();
    await step('step-3').getByRole('button', { name: 'Up' }).click();
    await jsonHas('"id": "step-3"');
    expect(JSON.parse(await json().inputValue())).toMatchObject({
      steps: [{ id: 'check' }, { id: 'step-3' }, { id: 'tell' }],
    });
    await step('step-3').getByRole('button', { name: 'Remove' }).click();

    // While the JSON is none, the form waits.
    await json().fill(`${written.slice(0, -1)},`);
    await page.getByText('The form goes on once it is mended.').waitFor();
    expect(await form().getByLabel('Name').isDisabled()).toBe(true);
    await json().fill(written.replace('"Large orders"', '"Larger orders"'));
    await waitFor('the form follows', async () => (await form().getByLabel('Name').inputValue()) === 'Larger orders');
    await page.getByText('Nothing is wrong with it').waitFor();
    await page.getByRole('button', { name: 'Make a workflow' }).click();
    await page.getByRole('heading', { name: 'Larger orders', level: 1 }).waitFor();
    expect(await json().inputValue()).toContain('12.50');
    expect(await json().inputValue()).toContain('9007199254740993');
  });

  // Old: a field that was left empty made the id empty, and the ways that led to the step could not follow any more.
  test('an id is taken over once a step may have it, and the ways that lead to the step follow all the way', async () => {
    const { page } = dashboard;
    await dashboard.open('/workflows/new');
    await json().fill(DEFINITION);
    const id = step('note').getByLabel('Id');
    for (const [bad, why] of [
      ['', 'Must be 1 to 64 letters'],
      ['tell it', 'Must be 1 to 64 letters'],
      ['check', 'Another step has this id'],
    ] as const) {
      await id.fill(bad);
      await id.press('Tab');
      await step('note').getByText(why).waitFor();
      expect([bad, await id.inputValue(), await json().inputValue()]).toEqual([bad, bad, DEFINITION]);
    }
    await id.fill('tell');
    // Enter takes it over, and sends nothing.
    await id.press('Enter');
    await jsonHas('"then": "tell"');
    expect(await json().inputValue()).toBe(DEFINITION.replaceAll('"note"', '"tell"'));
    await page.getByText('Nothing is wrong with it').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Make a workflow');
  });

  test('a fault is told at its field in the form, and at its line in the JSON', async () => {
    const { page } = dashboard;
    await dashboard.open('/workflows/new');
    await json().fill(
      DEFINITION.replace('event.payload.total >', 'evnt.payload.total >').replace('"then": "note"', '"then": "noet"'),
    );
    const field = step('check').getByLabel('Expression', { exact: true });
    await step('check').getByText('Unknown variable: evnt').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await step('check').getByText('references unknown step "noet"; did you mean note?').waitFor();
    await step('check').getByText('2 faults').waitFor();
    const line = page.getByRole('listitem').filter({ hasText: 'steps[0].config.expression' });
    await line.getByRole('button', { name: 'Line 8' }).click();
    const chosen = await json().evaluate((area) => {
      // `as`: the field is one of several lines.
      const { value, selectionStart, selectionEnd } = area as unknown as {
        value: string;
        selectionStart: number;
        selectionEnd: number;
      };
      return value.slice(selectionStart, selectionEnd);
    });
    expect(chosen).toBe('"expression": "evnt.payload.total > 12.50"');
    expect(await dashboard.violations()).toEqual([]);
    await field.fill('event.payload.total > 12.50');
    await step('check').getByLabel('If it holds').selectOption('note');
    await page.getByText('Nothing is wrong with it').waitFor();
    expect(await json().inputValue()).toBe(DEFINITION);
    // Two faults at one place in the same words: their marks go with them. They had one name, and stayed for ever.
    await step('note').getByLabel('Kind').selectOption('Publish a message');
    await step('note')
      .getByText(/\d faults/)
      .waitFor();
    expect(await page.locator('.json-edit mark').count()).toBeGreaterThan(1);
    await json().fill(DEFINITION);
    await waitFor('no mark is left', async () => (await page.locator('.json-edit mark').count()) === 0);
    await json().fill(DEFINITION);
    // An empty field shows an example, and an empty choice says its meaning.
    const unsetThen = (id: string): Promise<string> =>
      step(id).getByLabel('Then', { exact: true }).locator('option').first().innerText();
    // Where any step names another one, a step that names none ends its chain: only in a plain list it goes on.
    expect([await unsetThen('check'), await unsetThen('note')]).toEqual(['ends here', 'ends here']);
    await json().fill(DEFINITION.replace(', "then": "note", "else": null', ''));
    await waitFor('a plain list', async () => (await unsetThen('check')) === 'goes on with the step below');
    expect(await unsetThen('note')).toBe('ends here');
    await json().fill(DEFINITION);
    await step('note').getByLabel('Kind').selectOption('Wait for a time');
    expect(await step('note').getByLabel('For', { exact: true }).getAttribute('placeholder')).toContain('5s');
    await json().fill(DEFINITION);
    // A value that is no JSON yet stands in its field alone.
    await form().getByLabel('A run begins').selectOption('at set times');
    await form().getByLabel('Payload, as JSON').fill('{"a": 1.50');
    expect(await json().inputValue()).not.toContain('1.50');
    await form().getByLabel('Payload, as JSON').fill('{"a": 1.50}');
    await jsonHas('"payload": {"a": 1.50}');
  });

  test('an earlier version of a workflow is compared with the present one, and taken back as a new one', async () => {
    const { page } = dashboard;
    await dashboard.open('/workflows/new');
    await json().fill(DEFINITION);
    await page.getByText('Nothing is wrong with it').waitFor();
    await page.getByRole('button', { name: 'Make a workflow' }).click();
    await page.getByRole('heading', { name: 'Large orders', level: 1 }).waitFor();
    await jsonHas('total > 12.50');
    await json().fill((await json().inputValue()).replace('total > 12.50', 'total > 99.5'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').first().waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('row', { name: /^2 in force/ }).waitFor();
    await page.getByRole('button', { name: 'Compare 1' }).click();
    const changes = page.getByRole('region', { name: 'Changes since version 1' });
    await changes.locator('del', { hasText: 'total > 12.50' }).waitFor();
    await changes.locator('ins', { hasText: 'total > 99.5' }).waitFor();
    await page.getByRole('button', { name: 'Take this version back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take this version back' }).click();
    await page.getByRole('row', { name: /^3 in force/ }).waitFor();
    await page.getByRole('tab', { name: 'Definition' }).click();
    await jsonHas('total > 12.50');
    // Every number that its author wrote is there again, digit for digit.
    await jsonHas('9007199254740993');
  });
});
