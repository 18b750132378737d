import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('channels in a browser', () => {
  /** The page of a channel: its schemas, a message that is tried, its settings. */
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

  test('the schema of a type is added, asked about the newest messages, changed, and removed', async () => {
    const { page } = dashboard;
    for (const total of [5, 12.5, 300]) await publish('order.created', `{"total": ${total}}`);
    await publish('order.paid', '{"total": "much"}');
    const all = { type: 'object' };
    const path = `/v1/channels/${channelId}`;
    const other = { 'order.paid': { required: ['total'] } };
    await scene.posthorn.request('PATCH', path, { schema: all, schemas: other, schemaMode: 'warn' }, scene.key);
    await dashboard.open(`/channels/${channelId}?tab=schemas`);
    // One that there is was invisible before: only the schema of all types was shown.
    await page.getByLabel('Schema of', { exact: true }).selectOption('order.paid');
    expect(await page.getByLabel('JSON Schema of order.paid').inputValue()).toContain('"required"');

    await page.getByRole('button', { name: 'Add a type' }).click();
    await page.getByRole('dialog').getByLabel('Type').fill('order.created');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a type' }).click();
    const text = page.getByLabel('JSON Schema of order.created');
    await text.fill('{"properties": {"total": {"maximum": 100}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/JSON at position/).waitFor();
    expect(Object.keys((await stored()).schemas ?? {})).toEqual(['order.paid']);
    await text.fill('{"properties": {"total": {"maximum": 100.50}}}');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save' }).click();
    // The text as it was written, not as a number that was read and written anew.
    expect((await sent).postData()).toContain('"maximum": 100.50');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toMatchObject({
      schema: all,
      schemas: { ...other, 'order.created': { properties: { total: { maximum: 100.5 } } } },
      schemaMode: 'warn',
    });

    await page.getByRole('button', { name: 'Check them' }).click();
    await page.getByText('3 of 4 would pass.').waitFor();
    // As it is written, and not saved.
    await page.getByLabel('Schema of', { exact: true }).selectOption('order.created');
    await text.fill('{"properties": {"total": {"maximum": 10}}}');
    await page.getByRole('button', { name: 'Check them' }).click();
    await page.getByText('2 of 4 would pass.').waitFor();
    const dialog = page.getByRole('dialog', { name: 'Replace what is written?' });
    await page.getByRole('button', { name: 'Write it from the newest messages' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await text.inputValue()).toBe('{"properties": {"total": {"maximum": 10}}}');
    await page.getByRole('button', { name: 'Write it from the newest messages' }).click();
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await waitFor('a schema from the messages', async () => (await text.inputValue()).includes('"required"'));
    expect(JSON.parse(await text.inputValue())).toEqual({
      type: 'object',
      required: ['total'],
      properties: { total: { type: 'number' } },
    });
    expect((await stored()).schemas).toMatchObject({ 'order.created': { properties: { total: { maximum: 100.5 } } } });
    await text.fill('{"properties": {"total": {"maximum": 100.50}}}');
    await page.getByRole('button', { name: 'Check them' }).click();
    await page.getByText('3 of 4 would pass.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'payload.total' }).getByText('order.created').waitFor();
    expect(await dashboard.violations()).toEqual([]);

    await page.getByLabel('Schema of', { exact: true }).selectOption('order.created');
    await page.getByRole('button', { name: 'Remove this schema' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await waitFor('the schema is gone', async () => Object.keys((await stored()).schemas ?? {}).length === 1);
    expect((await stored()).schemas).toEqual(other);
  });

  test('a real message is taken as the sample, changed, and asked about', async () => {
    const { page } = dashboard;
    await publish('order.created', '{"total": 12}');
    const target = { channelId, webhookUrl: 'https://example.com/hook' };
    await scene.make('/v1/subscriptions', { ...target, name: 'Large ones', filter: 'payload.total > 100' });
    await scene.make('/v1/subscriptions', { ...target, name: 'All' });
    await dashboard.open(`/channels/${channelId}?tab=trial`);
    await page.getByLabel('Sample').selectOption({ index: 1 });
    await page.getByText('"total": 12').waitFor();
    await page.getByRole('button', { name: 'Who would get it?' }).click();
    await page.getByRole('row', { name: /Would not.*Large ones/ }).waitFor();
    await page.getByRole('row', { name: /Would get it.*All/ }).waitFor();
    await page.getByText('The schemas take it.').waitFor();
    await page.getByLabel('Payload').fill('{"total": 500}');
    await page.getByRole('button', { name: 'Who would get it?' }).click();
    await page.getByRole('row', { name: /Would get it.*Large ones/ }).waitFor();
    // Another sample would take the place of what was written, so the page asks.
    const dialog = page.getByRole('dialog', { name: 'Replace what is written?' });
    await page.getByLabel('Sample').selectOption('');
    await page.getByLabel('Sample').selectOption({ index: 1 });
    await dialog.waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Payload').inputValue()).toBe('{"total": 500}');
    await page.getByLabel('Sample').selectOption({ index: 1 });
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await page.getByText('"total": 12').waitFor();
    const { body } = await scene.posthorn.request<{ data: object[] }>(
      'GET',
      `/v1/channels/${channelId}/messages`,
      undefined,
      scene.key,
    );
    expect(body.data).toHaveLength(1);
  });

  // The list of its deliveries offered the line for publishing to it, which the service refuses.
  test('nobody is led to publish to the channel on which the service tells of itself', async () => {
    const { page } = dashboard;
    const system = await systemChannelOf(scene.posthorn, scene.key);
    const own = await scene.make('/v1/channels', { name: 'orders' });
    const line = page.getByText('The same by a shell:');
    for (const [channelId, count] of [
      [own, 1],
      [system, 0],
    ] as const) {
      const made = { channelId, webhookUrl: 'https://example.com/hook' };
      const id = await scene.make('/v1/subscriptions', made);
      const named = page.waitForResponse((answer) => answer.url().includes('/v1/channels?'));
      await dashboard.open(`/subscriptions/${id}?tab=deliveries`);
      await named;
      await page.locator('.empty').waitFor();
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
      await main.getByRole('link', { name: 'Make a subscription' }).first().waitFor();
      return main.locator('button, a.button, [role=tab]').allInnerTexts();
    };
    const refused = ['Publish a message', 'Pause', 'Archive', 'Delete', 'Settings'];
    expect(await offered(`/channels/${channelId}`)).toEqual(expect.arrayContaining(refused));
    const system = await offered(`/channels/${await systemChannelOf(scene.posthorn, scene.key)}?tab=settings`);
    await main.getByText('The service tells of itself here').waitFor();
    expect(system).toEqual(expect.arrayContaining(['Messages', 'Make a subscription']));
    expect(system.filter((each) => refused.includes(each))).toEqual([]);
  });

  test('name, description and time of keeping are changed, and archiving asks', async () => {
    const { page } = dashboard;
    await dashboard.open(`/channels/${channelId}?tab=settings`);
    await page.getByLabel('Description').fill('All orders of the shop');
    await page.getByLabel('Days that messages are kept').fill('400');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(/retentionDays/)
      .waitFor();
    await page.getByLabel('Days that messages are kept').fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.sentence').getByText('All orders of the shop').waitFor();
    expect((await stored()).retentionDays).toBe(7);
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.locator('.sentence').getByText('Archived').waitFor();
  });
});
