import { expect, test } from '@jest/globals';
import { canOpen, childrenOf, openNodes, rootOf } from '../../dashboard/src/lib/json-nodes.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('json tree in a browser', () => {
  /** Large JSON is a tree whose nodes open one by one. A value among 256 KiB on lines had to be found by scrolling. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const HOSTILE = '<img src=x onerror="document.title=1">';

  test('a large payload is a tree that the keyboard walks, and what is copied is exact', async () => {
    const { page, context } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const items = Array.from({ length: 3_000 }, (_, index) => `{"sku":"item-${index}","price":12.50}`).join(',');
    const payload = `{"who":${JSON.stringify(HOSTILE)},"big":9007199254740993,"items":[${items}],"two words":{"none":null}}`;
    const { status, body } = await scene.posthorn.request<{ id: string }>(
      'POST',
      `/v1/channels/${channelId}/messages`,
      `{"eventType":"order.created","payload":${payload}}`,
      scene.key,
    );
    expect(status).toBe(202);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await dashboard.open(`/messages/${body.id}`);
    const tree = page.getByRole('tree', { name: 'Payload' });
    await tree.waitFor();
    const rows = tree.getByRole('treeitem');
    // As many as a few rows can show are open.
    expect(await rows.count()).toBe(6);
    expect(await tree.textContent()).toContain(JSON.stringify(HOSTILE));
    expect(await tree.textContent()).toContain('9007199254740993');
    const copied = async (button: string): Promise<string> => {
      await page.getByRole('button', { name: button, exact: true }).click();
      // `as`: the types of Node have no clipboard, and the page has one.
      const text = await page.evaluate(() =>
        (navigator as unknown as { clipboard: { readText(): Promise<string> } }).clipboard.readText(),
      );
      return text;
    };
    // From the outermost value to the items, into them, and to the price of the first.
    await tree.focus();
    const keys = ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight'];
    for (const key of [...keys, 'ArrowDown']) await page.keyboard.press(key);
    expect(await page.title()).not.toBe('1');
    expect(await copied('Copy path')).toBe('payload.items[0].price');
    expect(await copied('Copy value')).toBe('12.50');
    await tree.focus();
    await page.keyboard.press('End');
    await rows.filter({ hasText: 'two words' }).waitFor();
    // 3,007 rows are open, and those in view are elements.
    expect(await rows.count()).toBeLessThan(100);
    expect(await copied('Copy path')).toBe('payload["two words"].none');
    await tree.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    expect(await rows.count()).toBe(1);
    await page.getByRole('combobox', { name: /^View/ }).click();
    await page.getByRole('option', { name: 'Pretty' }).click();
    await tree.waitFor({ state: 'detached' });
  });

  test('nodes hold their text as it stands, and a deep document needs no deep stack', () => {
    const root = rootOf(' {"a":[1.50,{}, [ ]],"a b":"x\\u00e9"} ', 'payload');
    const [list, text] = childrenOf(root);
    expect(list).toMatchObject({ path: 'payload.a', name: 'a', kind: 'array', level: 2, position: 1, siblings: 2 });
    expect(text).toMatchObject({ path: 'payload["a b"]', kind: 'text', text: '"x\\u00e9"' });
    const items = list === undefined ? [] : childrenOf(list);
    expect(items.map(({ path, text: own }) => [path, own])).toEqual([
      ['payload.a[0]', '1.50'],
      ['payload.a[1]', '{}'],
      ['payload.a[2]', '[ ]'],
    ]);
    expect(items.map(canOpen)).toEqual([false, false, false]);
    const deep = rootOf(`${'['.repeat(30)}1${']'.repeat(30)}`, '$');
    expect(openNodes(deep, () => true, childrenOf)).toHaveLength(31);
    expect(openNodes(deep, () => false, childrenOf)).toEqual([deep]);
  });
});
