import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('workflows in a browser', () => {
  /** A definition as a canvas, an inspector and JSON: one document, shown in three ways. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered), { withWorker: true });

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
  const definition = (config: object, steps?: readonly object[]): string =>
    JSON.stringify({
      name: 'Large orders',
      trigger: { type: 'event', config },
      steps: steps ?? [{ id: 'note', type: 'action', config: { action: 'log', text: 'Large' } }],
    });

  const canvas = (): Locator => dashboard.page.getByRole('group', { name: 'Workflow', exact: true });
  const node = (id: string): Locator => canvas().locator(`[data-node="${id}"]`);
  const inspector = (): Locator => dashboard.page.getByRole('region', { name: /^(?:Step |Trigger$)/ });
  const strip = (): Locator => dashboard.page.getByRole('region', { name: 'Problems' });
  /** What stands in an editor: its lines are elements. */
  const textIn = async (editor: Locator): Promise<string> => {
    const lines = await editor.locator('.cm-line').allTextContents();
    return lines.join('\n');
  };
  const write = async (editor: Locator, text: string): Promise<void> => {
    await editor.click();
    await dashboard.page.keyboard.press('ControlOrMeta+a');
    await dashboard.page.keyboard.insertText(text);
  };
  const json = (): Locator => dashboard.page.getByRole('textbox', { name: 'Definition', exact: true });
  const showJson = (): Promise<void> => dashboard.page.getByRole('button', { name: 'JSON', exact: true }).click();
  const showCanvas = (): Promise<void> => dashboard.page.getByRole('button', { name: 'Canvas', exact: true }).click();
  /** The whole definition, as its request would send it: an editor draws no more lines than it shows. */
  const jsonIs = (wanted: string): Promise<true> =>
    waitFor('the definition', async () => (await textIn(json())) === wanted);
  const jsonHas = (part: string): Promise<true> =>
    waitFor(`the JSON has ${part}`, async () => (await textIn(json())).includes(part));
  const beginWith = async (text: string): Promise<void> => {
    await dashboard.open('/workflows/new?template=empty');
    await showJson();
    await json().waitFor();
    await write(json(), text);
  };
  const noProblems = (): Promise<void> => strip().getByText('No problems').waitFor();

  test('an empty list leads to the templates, and a template to its steps', async () => {
    const { page } = dashboard;
    await dashboard.open('/workflows');
    await page.getByText('No workflows yet').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Create workflow' }).click();
    await page.getByRole('link', { name: /Run on a schedule/ }).click();
    await page.getByRole('heading', { name: 'Daily report', level: 1 }).waitFor();
    await node('report').waitFor();
    expect(await node('@trigger').innerText()).toContain('0 9 * * 1-5');
    expect(await dashboard.violations()).toEqual([]);
  });

  // The form said "goes on with the step below" where a branch makes an absent next step the end.
  test('what is drawn is what runs: ends have their caps, and a step without a way leads to none', async () => {
    await beginWith(DEFINITION);
    await showCanvas();
    await node('check').waitFor();
    await canvas().getByText('Run ends, completed').nth(1).waitFor();
    const ways = canvas().getByRole('button', { name: /^Add a step/ });
    expect(await ways.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual([
      'Add a step between the trigger and check',
      'Add a step between check and note (true)',
      'Add a step after check (false)',
      'Add a step after note',
    ]);
    expect(await dashboard.violations()).toEqual([]);
  });

  test('a step is put on a branch, named, copied, taken back and deleted, by the keys alone', async () => {
    const { page } = dashboard;
    await beginWith(DEFINITION);
    await showCanvas();
    await canvas().getByRole('button', { name: 'Add a step after check (false)' }).press('Enter');
    await page.getByLabel('Search steps').waitFor();
    await page.keyboard.type('del');
    await page.getByRole('option', { name: 'Delay' }).waitFor();
    await page.keyboard.press('Enter');
    await node('wait').waitFor();
    await page.waitForURL((url) => url.searchParams.get('step') === 'wait');
    const id = inspector().getByLabel('ID', { exact: true });
    await id.fill('tell it');
    await id.press('Tab');
    await inspector().getByText('Use 1 to 64 letters, digits, - or _').waitFor();
    await id.fill('check');
    await inspector().getByText('Another step has this ID').waitFor();
    await id.fill('calm');
    await id.press('Enter');
    await node('calm').waitFor();

    await node('calm').press('ControlOrMeta+d');
    await node('calm_2').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await node('calm_2').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await node('calm_2').waitFor();
    await node('calm').press('Delete');
    await node('calm').waitFor({ state: 'detached' });
    await canvas().getByRole('button', { name: 'Add a step between check and calm_2 (false)' }).waitFor();
    await noProblems();
    await showJson();
    await jsonHas('"else": "calm_2"');
    await jsonHas('9007199254740993');
  });

  test('a change in the inspector is one of the JSON, and the other way round; all else stays as it was written', async () => {
    const { page } = dashboard;
    await beginWith(DEFINITION);
    await showCanvas();
    await node('note').click();
    await inspector().getByText('Only in the JSON: own').waitFor();
    await write(inspector().getByRole('textbox', { name: 'Text', exact: true }), 'Large: "{{ event.id }}"');
    await inspector().getByRole('tab', { name: 'Flow' }).click();
    await inspector().getByRole('combobox', { name: 'On error' }).click();
    await page.getByRole('option', { name: 'Continue with the next step' }).click();
    await node('check').click();
    await inspector().getByRole('tab', { name: 'Flow' }).click();
    await inspector().getByRole('combobox', { name: 'If false' }).click();
    await page.getByRole('option', { name: 'note' }).click();
    await showJson();
    await jsonIs(
      DEFINITION.replace('"text": "Large",', '"text": "Large: \\"{{ event.id }}\\"",')
        .replace('9007199254740993 } }', '9007199254740993 }, "onError": "continue" }')
        .replace('"else": null', '"else": "note"'),
    );
    // While the JSON is none, the canvas waits.
    await write(json(), `${DEFINITION.slice(0, -1)},`);
    await strip()
      .getByText(/^Fix line \d+ to continue$/)
      .waitFor();
    await showCanvas();
    await page.getByText(/Fix line \d+ to continue in the canvas/).waitFor();
    expect(
      await canvas()
        .getByRole('button', { name: /^Add a step/ })
        .count(),
    ).toBe(0);
    await page.getByRole('button', { name: 'Open JSON' }).click();
    await write(json(), DEFINITION.replace('"Large orders"', '"Larger orders"'));
    await page.getByRole('heading', { name: 'Larger orders', level: 1 }).waitFor();
  });

  test('a problem is told on its step, at its field, and in a line that leads there; nothing is activated meanwhile', async () => {
    const { page } = dashboard;
    await beginWith(
      DEFINITION.replace('event.payload.total >', 'evnt.payload.total >').replace('"then": "note"', '"then": "noet"'),
    );
    await strip()
      .getByText(/^\d problems$/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Activate v1' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save draft' }).isDisabled()).toBe(false);
    await showCanvas();
    expect(await node('check').innerText()).toContain('2 problems');
    await page.keyboard.press('F8');
    await inspector().getByText(/evnt/).first().waitFor();
    await inspector().getByRole('tab', { name: 'Flow' }).click();
    await inspector().getByText('No step is called noet. Did you mean note?').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await inspector().getByRole('combobox', { name: 'If true' }).click();
    await page.getByRole('option', { name: 'note' }).click();
    await inspector().getByRole('tab', { name: 'Setup' }).click();
    await write(inspector().getByRole('textbox', { name: 'Expression' }), 'event.payload.total > 12.50');
    await noProblems();
    await showJson();
    await jsonIs(DEFINITION);
  });

  // Ids had to be copied from another page and written there.
  test('channels of a trigger are chosen and taken away by their names', async () => {
    const { page } = dashboard;
    const orders = await scene.make('/v1/channels', { name: 'orders' });
    await scene.make('/v1/channels', { name: 'refunds' });
    await beginWith(definition({ channelId: orders }));
    await showCanvas();
    await node('@trigger').click();
    await node('@trigger').getByText('orders').waitFor();
    await inspector().getByRole('combobox', { name: 'Channels' }).click();
    await page.getByRole('option', { name: 'refunds' }).click();
    await node('@trigger').getByText('orders, refunds').waitFor();
    await inspector().getByRole('button', { name: 'Remove orders' }).click();
    await node('@trigger').getByText('refunds', { exact: true }).waitFor();
    const types = inspector().getByRole('textbox', { name: 'Event types' });
    await types.fill('order.created, order.paid');
    await types.press('Tab');
    await node('@trigger').getByText('order.created, order.paid').waitFor();
    await noProblems();
    expect(await dashboard.violations()).toEqual([]);
  });

  // A click on a tab or on the navigation lost all of it.
  test('a new workflow that is not saved stands there again when its person comes back, and is discarded by a button', async () => {
    const { page } = dashboard;
    const written = definition({ eventTypes: ['order.paid'] });
    await beginWith(written);
    const toTemplates = async (): Promise<void> => {
      await page.getByRole('navigation').getByRole('link', { name: 'Workflows', exact: true }).click();
      await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
      await page.getByRole('link', { name: 'Create workflow' }).first().click();
    };
    const comeBack = async (): Promise<void> => {
      await toTemplates();
      await page.getByRole('link', { name: /Empty workflow/ }).click();
      await showJson();
    };
    // The page of the templates names it, and another template is a workflow of its own.
    await toTemplates();
    const unsaved = page.getByText('You have an unsaved workflow: Large orders');
    await unsaved.waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('link', { name: /Run on a schedule/ }).click();
    await page.getByRole('heading', { name: 'Daily report', level: 1 }).waitFor();
    expect(await page.getByText('Restored your unsaved draft').count()).toBe(0);
    await toTemplates();
    await page.getByRole('link', { name: 'Continue Large orders' }).click();
    await page.getByText('Restored your unsaved draft').waitFor();
    await toTemplates();
    await unsaved.waitFor();
    await comeBack();
    await page.getByText('Restored your unsaved draft').waitFor();
    await jsonIs(written);

    // The browser asks before the tab is closed over it.
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    await json().click();
    await page.evaluate('location.reload()').catch(() => undefined);
    expect(await asked).toBe('beforeunload');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await jsonHas('"steps": []');

    // A workflow that was created leaves nothing behind.
    await write(json(), written);
    await noProblems();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Draft, v1').waitFor();
    await toTemplates();
    await page.getByRole('link', { name: /Empty workflow/ }).waitFor();
    expect(await unsaved.count()).toBe(0);
    await comeBack();
    await jsonHas('"steps": []');
    expect(await page.getByText('Restored your unsaved draft').count()).toBe(0);
  });

  test('a version is activated, compared with the one before, and that one restored digit for digit', async () => {
    const { page } = dashboard;
    await beginWith(DEFINITION);
    await noProblems();
    await page.getByRole('button', { name: 'Activate v1' }).click();
    await page.getByText('Active, v1').waitFor();
    await showJson();
    await jsonHas('total > 12.50');
    await write(json(), DEFINITION.replace('total > 12.50', 'total > 99.5'));
    await page.getByText('Unsaved changes', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Activate v2' }).click();
    await page.getByText('Active, v2').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('row', { name: /^2 Current/ }).waitFor();
    await page.getByRole('button', { name: 'Compare version 1' }).click();
    await page.getByText('Changes since version 1').waitFor();
    await page.getByText('total > 99.5').first().waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Restore version 1…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore version' }).click();
    await page.getByRole('row', { name: /^3 Current/ }).waitFor();
    await page.getByRole('tab', { name: 'Editor' }).click();
    await jsonHas('total > 12.50');
    await jsonHas('9007199254740993');
  });

  test('a test run says whether the trigger matches, shows its path, and what each step got and gave', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const other = await scene.make('/v1/channels', { name: 'refunds' });
    const publish = (channel: string, eventType: string, payload: object): Promise<string> =>
      scene.make(`/v1/channels/${channel}/messages`, { eventType, payload, metadata: { shop: 'north' } });
    await publish(other, 'refund.asked', {});
    await publish(channelId, 'order.paid', { total: 7 });
    await publish(channelId, 'order.paid', { total: 250 });
    const id = await scene.make('/v1/workflows', {
      name: 'Large',
      status: 'active',
      trigger: { type: 'event', config: { channelId, eventTypes: ['order.*'], filter: 'payload.total > 100' } },
      steps: [
        {
          id: 'which',
          type: 'condition',
          config: JSON.parse('{"expression":"event.payload.total > 200","then":"call","else":"note"}') as object,
        },
        {
          id: 'call',
          type: 'action',
          config: { action: 'http', url: 'https://example.com/{{ event.metadata.shop }}' },
        },
        { id: 'note', type: 'action', config: { action: 'log', text: 'Small' } },
      ],
    });
    await dashboard.open(`/workflows/${id}`);
    await page.getByRole('button', { name: 'Test run' }).click();
    const drawer = page.getByRole('dialog', { name: 'Test run' });
    const messages = drawer.getByRole('list', { name: 'Recent messages' }).getByRole('button');
    await messages.nth(1).waitFor();
    expect(await messages.count()).toBe(2);
    const payload = drawer.getByRole('textbox', { name: 'Payload' });
    await waitFor('the newest message', async () => (await textIn(payload)) === '{\n  "total": 250\n}');
    expect(await dashboard.violations()).toEqual([]);
    await drawer.getByRole('button', { name: 'Run test' }).click();
    const result = page.getByRole('region', { name: 'Test run' });
    await result.getByText('This message triggers the workflow.').waitFor();
    await result.getByText('Completed').waitFor();
    expect(await node('call').innerText()).toContain('Completed');
    expect(await node('note').innerText()).not.toContain('Completed');
    await node('call').click();
    await inspector().getByText('The response is simulated. Nothing was sent.').waitFor();
    await inspector().getByText('https://example.com/north').first().waitFor();
    expect(await dashboard.violations()).toEqual([]);

    const tryWith = async (eventType: string, text: string): Promise<void> => {
      await page.getByRole('button', { name: 'Test run', exact: true }).click();
      await drawer.getByRole('button', { name: 'Write JSON' }).click();
      await drawer.getByLabel('Event type').fill(eventType);
      await write(payload, text);
      await drawer.getByRole('button', { name: 'Run test' }).click();
    };
    await tryWith('order.paid', '{"total": 7}');
    await result.getByText("Filter doesn't match.").waitFor();
    expect(await node('note').innerText()).toContain('Completed');
    await tryWith('invoice.paid', '{"total": 250}');
    await result.getByText('Not one of its event types.').waitFor();
    await page.getByRole('button', { name: 'Test run', exact: true }).click();
    await write(payload, '{"total": ');
    await waitFor('a test that cannot be run', () => drawer.getByRole('button', { name: 'Run test' }).isDisabled());
  });

  // Without an output it failed by its timeout, and one without a decision was taken for a rejection.
  test('an approval is approved in a test run unless something else is chosen, and a response without a decision is refused', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/workflows', {
      name: 'Ask first',
      trigger: { type: 'manual' },
      steps: [{ id: 'ask', type: 'approval', config: { title: 'Pay?' } }],
    });
    await dashboard.open(`/workflows/${id}`);
    const drawer = page.getByRole('dialog', { name: 'Test run' });
    const result = page.getByRole('region', { name: 'Test run' });
    const decision = drawer.getByRole('combobox', { name: 'Decision of ask' });
    const open = () => page.getByRole('button', { name: 'Test run', exact: true }).click();
    const run = () => drawer.getByRole('button', { name: 'Run test' }).click();
    await open();
    await decision.getByText('Approved').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await run();
    await result.getByText('Completed').waitFor();
    await open();
    await decision.click();
    await page.getByRole('option', { name: 'Rejected' }).click();
    await run();
    await result.getByText('Failed').waitFor();
    await open();
    await drawer.getByRole('button', { name: 'Simulated responses' }).click();
    await write(drawer.getByRole('textbox', { name: 'Results by step ID' }), '{"ask":{"output":{"approved":true}}}');
    await decision.getByText('As simulated').waitFor();
    await run();
    await drawer.getByText('ask.output.decision must be approved or rejected').waitFor();
  });

  test('the list shows the last run of each workflow and how those of the day ended, all by one request', async () => {
    const { page } = dashboard;
    const make = (name: string) =>
      scene.make('/v1/workflows', {
        name,
        status: 'active',
        trigger: { type: 'manual' },
        steps: [{ id: 'only', type: 'filter', config: { expression: 'event.payload.isGood' } }],
      });
    await make('Idle');
    const busy = await make('Busy');
    for (const isGood of [true, false]) await scene.make(`/v1/workflows/${busy}/runs`, { payload: { isGood } });
    const runs = async () =>
      (
        await scene.posthorn.request<{ data: { id: string; status: string }[] }>(
          'GET',
          `/v1/runs?workflowId=${busy}`,
          undefined,
          scene.key,
        )
      ).body.data;
    await waitFor('both have ended', async () => (await runs()).every(({ status }) => status === 'completed'));
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/v1\/(?:stats\/workflows|runs|workflows\/)/.test(pathname)) asked.push(pathname);
    });
    await dashboard.open('/workflows');
    const row = page.getByRole('row', { name: /Busy/ });
    await row.getByText('Completed', { exact: true }).waitFor();
    await page.getByRole('row', { name: /Idle/ }).getByText('No runs yet').waitFor();
    expect([...new Set(asked)]).toEqual(['/v1/stats/workflows']);
    expect(await dashboard.violations()).toEqual([]);
    await dashboard.open('/workflows?name=IDL');
    await page.getByRole('row', { name: /Idle/ }).waitFor();
    expect(await row.count()).toBe(0);
    await page.getByRole('link', { name: 'Idle' }).click();
    await page.getByRole('heading', { name: 'Idle', level: 1 }).waitFor();
  });

  test('a definition that is being written stays while its workflow is changed elsewhere', async () => {
    const { page } = dashboard;
    const path = `/v1/workflows/${await scene.make('/v1/workflows', JSON.parse(definition({})) as object)}`;
    await dashboard.open(`${path.slice('/v1'.length)}?view=json`);
    await jsonHas('"Large orders"');
    const text = await textIn(json());
    await write(json(), text.replace('"Large"', '"Very large"'));
    await page.getByText('Unsaved changes', { exact: true }).waitFor();
    await scene.posthorn.request('PATCH', path, { name: 'Orders of Berlin' }, scene.key);
    await page.getByRole('button', { name: 'Save draft' }).click();
    // Nothing was sent: first its reader hears of it.
    await page.getByText('Somebody else has changed this workflow since you opened it.').waitFor();
    await jsonHas('"Very large"');
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Draft saved').waitFor();
    const { body } = await scene.posthorn.request<{ name: string }>('GET', path, undefined, scene.key);
    expect(body.name).toBe('Large orders');
    expect(JSON.stringify(body)).toContain('Very large');
  });

  test('all versions of a workflow leave as lines, those behind the first fifty too', async () => {
    const { page } = dashboard;
    const count = 52;
    const stepsOf = (text: string) => [{ id: 'note', type: 'action', config: { action: 'log', text } }];
    const id = await scene.make('/v1/workflows', { name: 'Often', trigger: { type: 'manual' }, steps: stepsOf('1') });
    for (let version = 2; version <= count; version += 1)
      await scene.posthorn.request('PATCH', `/v1/workflows/${id}`, { steps: stepsOf(String(version)) }, scene.key);
    await dashboard.open(`/workflows/${id}?tab=versions`);
    await page.getByRole('row', { name: new RegExp(`^${count} Current`) }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(50);
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('dialog', { name: 'Export' }).getByRole('button', { name: /JSON/ }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('workflow-versions.ndjson');
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    const versions = lines.map((line) => (JSON.parse(line) as { version: number }).version);
    expect(versions).toEqual(Array.from({ length: count }, (_, at) => count - at));
  });

  test('a run is started by hand with a payload that is written there, and every number goes as it stands', async () => {
    const { page } = dashboard;
    const inputSchema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } };
    const id = await scene.make('/v1/workflows', {
      name: 'Sum',
      status: 'active',
      trigger: { type: 'manual', config: { inputSchema } },
      steps: [{ id: 'sum', type: 'transform', config: { set: { sum: '{{ event.payload.total }}' } } }],
    });
    await dashboard.open(`/workflows/${id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Start run…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Start a run of Sum/ });
    const payload = dialog.getByRole('textbox', { name: 'Payload' });
    const go = dialog.getByRole('button', { name: 'Start run' });
    await write(payload, '{"total": ');
    await waitFor('no run of that', () => go.isDisabled());
    await write(payload, '{"total": "many"}');
    await go.click();
    await dialog.getByRole('listitem').first().waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await write(payload, '{"total": 12.50}');
    await dialog.getByRole('button', { name: 'Equivalent request' }).click();
    await dialog.getByText(`/v1/workflows/${id}/runs`).waitFor();
    const sent = page.waitForRequest((request) => request.url().endsWith(`/v1/workflows/${id}/runs`));
    await go.click();
    expect((await sent).postData()).toBe('{"payload":{"total": 12.50}}');
    await page.waitForURL((url) => /\/runs\/run_/.test(url.pathname));
  });

  test('the settings of a workflow with a schedule say when its next run starts, or why none does', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/workflows', {
      name: 'Report',
      status: 'active',
      trigger: { type: 'schedule', config: { cron: '0 9 1 1 *' } },
      steps: [{ id: 'only', type: 'action', config: { action: 'log' } }],
    });
    await dashboard.open(`/workflows/${id}?tab=settings`);
    await page.getByText('Next run', { exact: true }).waitFor();
    await waitFor('Temporal to have it, and then to refuse it', async () => {
      const { rowCount } = await scene.posthorn.deps.pool.query(
        `UPDATE workflow_schedules SET problem = 'no such calendar', top_up_at = NULL WHERE workflow_id = $1 AND synced = revision`,
        [id],
      );
      return rowCount === 1;
    });
    await dashboard.open(`/workflows/${id}?tab=settings`);
    await page.getByText('no such calendar').waitFor();
    expect(await dashboard.violations()).toEqual([]);
  });

  test('on a narrow screen the canvas is only looked at, and the inspector stands below it', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/workflows', JSON.parse(definition({})) as object);
    await page.setViewportSize({ width: 390, height: 844 });
    await dashboard.open(`/workflows/${id}`);
    await node('note').click();
    await inspector().getByRole('textbox', { name: 'Text', exact: true }).waitFor();
    expect(
      await canvas()
        .getByRole('button', { name: /^Add a step/ })
        .count(),
    ).toBe(0);
    expect(await dashboard.violations()).toEqual([]);
    expect(dashboard.faults).toEqual([]);
  });
});
