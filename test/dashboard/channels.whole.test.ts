import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('channels in a browser', () => {
  /** The page of a channel: its traffic, its schemas, a message that is tested, its settings. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let channelId: string;

  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    channelId = await scene.make('/v1/channels', { name: 'orders' });
  });

  const publish = (eventType: string, payload: string): Promise<string> =>
    scene.make(`/v1/channels/${channelId}/messages`, { eventType, payload: JSON.parse(payload) as object });
  const stored = async (): Promise<{
    schemas?: object;
    schema?: object;
    schemaMode?: string;
    retentionDays: number;
  }> => {
    const path = `/v1/channels/${channelId}`;
    const { body } = await scene.posthorn.request<Awaited<ReturnType<typeof stored>>>(
      'GET',
      path,
      undefined,
      scene.key,
    );
    return body;
  };

  const editor = (name: string) => dashboard.page.getByRole('textbox', { name, exact: true });
  /** Writes over what stands in an editor. */
  async function write(name: string, text: string): Promise<void> {
    await editor(name).click();
    await dashboard.page.keyboard.press('Control+a');
    await dashboard.page.keyboard.insertText(text);
  }
  const reads = (name: string, text: string): Promise<unknown> =>
    waitFor(`${text} in ${name}`, async () => (await editor(name).innerText()).includes(text));
  const schemaOf = (type: string) =>
    dashboard.page.getByRole('list', { name: 'Schemas' }).getByRole('button', { name: new RegExp(`^${type}`) });
  const save = () => dashboard.page.getByRole('button', { name: 'Save', exact: true });

  test('the schema of a type is added, validated with the newest messages, changed, and removed', async () => {
    const { page } = dashboard;
    for (const total of [5, 12.5, 300]) await publish('order.created', `{"total": ${total}}`);
    await publish('order.paid', '{"total": "much"}');
    const all = { type: 'object' };
    const path = `/v1/channels/${channelId}`;
    const other = { 'order.paid': { required: ['total'] } };
    await scene.posthorn.request('PATCH', path, { schema: all, schemas: other, schemaMode: 'warn' }, scene.key);
    await dashboard.open(`/channels/${channelId}?tab=schemas`);
    await schemaOf('order.paid').click();
    await reads('JSON Schema of order.paid', '"required"');

    await page.getByRole('button', { name: 'Add event type' }).click();
    await page.getByRole('dialog').getByLabel('Event type').fill('order.created');
    await page.getByRole('dialog').getByRole('button', { name: 'Add event type' }).click();
    const text = 'JSON Schema of order.created';
    await write(text, '{"properties": {"total": {"maximum": 100}');
    await page.getByText(/Invalid JSON/).waitFor();
    await save().click();
    expect(Object.keys((await stored()).schemas ?? {})).toEqual(['order.paid']);
    // The service is asked while it is written, and its answer stands at the place.
    await write(text, '{"properties": {"total": {"maximum": "much"}}}');
    await page.getByText('properties.total.maximum must be number').waitFor();
    await write(text, '{"properties": {"total": {"maximum": 100.50}}}');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await save().click();
    // The text as it was written, not as a number that was read and written anew.
    expect((await sent).postData()).toContain('"maximum": 100.50');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toMatchObject({
      schema: all,
      schemas: { ...other, 'order.created': { properties: { total: { maximum: 100.5 } } } },
      schemaMode: 'warn',
    });

    const validate = page.getByRole('button', { name: 'Validate the last 100' });
    await validate.click();
    await page.getByText('3 of 4 are valid').waitFor();
    await schemaOf('order.created').getByText('1 invalid').waitFor();
    // As it is written, and not saved.
    await write(text, '{"properties": {"total": {"maximum": 10}}}');
    await page.getByText('The schemas have changed since').waitFor();
    await validate.click();
    await page.getByText('2 of 4 are valid').waitFor();
    const dialog = page.getByRole('dialog', { name: /^Replace your edits/ });
    const generate = page.getByRole('button', { name: 'Generate from recent messages' });
    await generate.click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await reads(text, '{"properties": {"total": {"maximum": 10}}}');
    await generate.click();
    await dialog.getByRole('button', { name: 'Replace edits' }).click();
    await reads(text, '"required"');
    expect(JSON.parse(await editor(text).innerText())).toEqual({
      type: 'object',
      required: ['total'],
      properties: { total: { type: 'number' } },
    });
    expect((await stored()).schemas).toMatchObject({ 'order.created': { properties: { total: { maximum: 100.5 } } } });
    await write(text, '{"properties": {"total": {"maximum": 100.5}}}');
    await validate.click();
    await page.getByText('3 of 4 are valid').waitFor();
    const invalid = page.getByRole('list', { name: 'Invalid messages' }).getByRole('listitem');
    await invalid.filter({ hasText: 'payload.total' }).getByText('order.created').waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });

    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await save().click();
    await waitFor('the schema is gone', async () => Object.keys((await stored()).schemas ?? {}).length === 1);
    expect((await stored()).schemas).toEqual(other);
  });

  test('what was written of a schema stays while other tabs are looked at, and can be discarded', async () => {
    const { page } = dashboard;
    await dashboard.open(`/channels/${channelId}?tab=schemas`);
    const text = 'JSON Schema of all event types';
    await write(text, '{"type": "object"}');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor();
    await page.getByRole('tab', { name: 'Schemas' }).click();
    await reads(text, '{"type": "object"}');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await waitFor('an empty schema', async () => !(await editor(text).innerText()).includes('object'));
    expect(await stored()).not.toHaveProperty('schema');
  });

  test('a real message is the sample, and who receives it follows what is written', async () => {
    const { page } = dashboard;
    await publish('order.created', '{"total": 12}');
    await publish('order.paid', '{"total": 13}');
    const target = { channelId, webhookUrl: 'https://example.com/hook' };
    await scene.make('/v1/subscriptions', { ...target, name: 'Large ones', filter: 'payload.total > 100' });
    await scene.make('/v1/subscriptions', { ...target, name: 'All' });
    await dashboard.open(`/channels/${channelId}?tab=test`);
    const recipient = (name: string, word: string) =>
      page
        .getByRole('list', { name: 'Recipients' })
        .getByRole('listitem')
        .filter({ has: page.getByRole('img', { name: word }) })
        .filter({ hasText: name });
    await reads('Payload', '"total": 13');
    await recipient('Large ones', "Won't receive").waitFor();
    await recipient('All', 'Will receive').waitFor();
    await page.getByText('Accepted: no schema for this event type').waitFor();
    await write('Payload', '{"total": 500}');
    await recipient('Large ones', 'Will receive').waitFor();
    // Another sample would take the place of what was written, so the page asks.
    const dialog = page.getByRole('dialog', { name: /^Replace your edits/ });
    const sample = page.getByRole('combobox', { name: 'Sample' });
    await sample.click();
    await page.getByRole('option', { name: /^order\.created/ }).click();
    await dialog.waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await reads('Payload', '{"total": 500}');
    await sample.click();
    await page.getByRole('option', { name: /^order\.created/ }).click();
    await dialog.getByRole('button', { name: 'Replace edits' }).click();
    await reads('Payload', '"total": 12');
    await recipient('Large ones', "Won't receive").waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    const { body } = await scene.posthorn.request<{ data: object[] }>(
      'GET',
      `/v1/channels/${channelId}/messages`,
      undefined,
      scene.key,
    );
    expect(body.data).toHaveLength(2);
  });

  test('a payload that a schema rejects is told at its place before anything is published', async () => {
    const { page } = dashboard;
    const schema = { properties: { total: { type: 'number', maximum: 100 } } };
    const path = `/v1/channels/${channelId}`;
    await scene.posthorn.request('PATCH', path, { schema, schemaMode: 'enforce' }, scene.key);
    await dashboard.open(`/channels/${channelId}?tab=test`);
    await page.getByRole('combobox', { name: 'Event type' }).fill('order.created');
    await write('Payload', '{"total": 250}');
    await page.getByText('Rejected: 1 problem').waitFor();
    await page.getByText('payload.total must be at most 100').waitFor();
    await write('Payload', '{"total": 50}');
    await page.getByText('Valid', { exact: true }).waitFor();
    await scene.posthorn.request('PATCH', path, { schemaMode: 'warn' }, scene.key);
    await page.reload();
    await page.getByRole('combobox', { name: 'Event type' }).fill('order.created');
    await write('Payload', '{"total": 250}');
    await page.getByText('Accepted with warning: 1 problem').waitFor();
  });

  test('the overview has the traffic, the subscriptions and the scheduled messages of the channel', async () => {
    const { page } = dashboard;
    await dashboard.open(`/channels/${channelId}`);
    await page.getByRole('heading', { name: 'Publish the first message' }).waitFor();
    await page.getByText('No subscriptions yet. Messages are stored, and nobody receives them.').waitFor();
    await scene.make('/v1/subscriptions', { channelId, webhookUrl: 'https://example.com/hook', name: 'Till' });
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.due', payload: {}, delay: 3_600_000 });
    await publish('order.created', '{}');
    await page.getByText('Messages accepted').waitFor();
    await page.reload();
    await page.getByRole('table', { name: 'Subscriptions' }).getByRole('link', { name: 'Till' }).waitFor();
    const scheduled = page.getByRole('table', { name: 'Scheduled messages' }).getByRole('row', { name: /order\.due/ });
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    await scheduled.getByRole('button', { name: 'Cancel message…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click();
    await scheduled.waitFor({ state: 'detached' });
  });

  // The list of its deliveries offered the line for publishing to it, which the service refuses.
  test('nobody is led to publish to the channel on which the service tells of itself', async () => {
    const { page } = dashboard;
    const system = await systemChannelOf(scene.posthorn, scene.key);
    const own = await scene.make('/v1/channels', { name: 'orders' });
    const line = page.getByRole('region', { name: 'cURL' });
    for (const [channelId, count] of [
      [own, 1],
      [system, 0],
    ] as const) {
      const made = { channelId, webhookUrl: 'https://example.com/hook' };
      const id = await scene.make('/v1/subscriptions', made);
      const named = page.waitForResponse((answer) => answer.url().includes('/v1/channels?'));
      await dashboard.open(`/subscriptions/${id}?tab=deliveries`);
      await named;
      await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
      if (count > 0) await line.waitFor();
      // A line would be drawn by then.
      else await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      expect({ channelId, count: await line.count() }).toEqual({ channelId, count });
    }
  });

  // Its page offered to publish, to pause, to archive, to delete and to save, and the service refused each.
  test('the page of the channel on which the service tells of itself offers nothing that is refused', async () => {
    const { page } = dashboard;
    const main = page.getByRole('main');
    const offered = async (path: string): Promise<string[]> => {
      await dashboard.open(path);
      await main.getByRole('link', { name: 'Create subscription' }).waitFor();
      await main.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menu').waitFor();
      const found = await page.locator('main button, main a, [role=tab], [role=menuitem]').allInnerTexts();
      await page.keyboard.press('Escape');
      return found;
    };
    const refused = ['Publish message', 'Pause', 'Archive…', 'Delete…', 'Settings'];
    expect(await offered(`/channels/${channelId}`)).toEqual(expect.arrayContaining(refused));
    const system = await offered(`/channels/${await systemChannelOf(scene.posthorn, scene.key)}?tab=settings`);
    await main.getByText('Posthorn only').waitFor();
    expect(system).toEqual(expect.arrayContaining(['View messages', 'Create subscription']));
    expect(system.filter((each) => refused.includes(each))).toEqual([]);
  });

  test('name, description and retention are changed, and archiving asks', async () => {
    const { page } = dashboard;
    const main = page.getByRole('main');
    await dashboard.open(`/channels/${channelId}?tab=settings`);
    await page.getByLabel('Description').fill('All orders of the shop');
    await page.getByLabel('Retention').fill('400');
    await save().click();
    await page.getByText(/must be at most 365/i).waitFor();
    await page.getByLabel('Retention').fill('7');
    await page.getByText(/^Saving deletes the messages that are older than this/).waitFor();
    await save().click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await stored()).retentionDays).toBe(7);
    await main.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Archive…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive channel' }).click();
    await page.getByRole('heading', { name: 'orders Archived', level: 1 }).waitFor();
    await main.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('heading', { name: 'orders Active', level: 1 }).waitFor();
  });
});
