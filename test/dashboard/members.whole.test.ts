import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { enrolTotp } from '../support/make/factors.ts';
import { joinAs, OWNER, signIn } from '../support/make/people.ts';
import { createBrowser } from '../support/world/browser.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('members in a browser', () => {
  /** Stories of an owner and another member. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let joined: Awaited<ReturnType<typeof joinAs>>;
  const DORA = 'dora@example.com';

  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    const owner = await signIn(scene.posthorn, OWNER);
    const organisation = `/v1/organisations/${owner.me.organisations[0]?.id}`;
    joined = await joinAs(scene.posthorn, owner.browser, organisation, { role: 'developer', email: DORA });
    await dashboard.open('/members');
  });

  test('an owner makes a link that is shown once, and its person sets a new password by it', async () => {
    const { page, context } = dashboard;
    await page.getByRole('button', { name: 'Password link developer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Password link' }).click();
    const once = page.getByRole('dialog', { name: 'Shown only now' });
    const link = (await once.getByLabel('Link').innerText()).trim();
    await once.getByText(`Hand this link to ${DORA} yourself`).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await once.getByRole('button', { name: 'I have kept it' }).click();
    expect(await page.content()).not.toContain(link);

    const other = await context.browser()?.newContext();
    const reset = await other?.newPage();
    if (reset === undefined) throw new Error('no other browser');
    await reset.goto(link);
    await reset.getByLabel('New password').fill('marble otter quiet lamp');
    await reset.getByRole('button', { name: 'Set the password' }).click();
    await reset.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other?.close();
    await signIn(scene.posthorn, { email: DORA, password: 'marble otter quiet lamp' });
  });

  test('an owner takes the second step from somebody who has lost it, by typing their name', async () => {
    const { page } = dashboard;
    await enrolTotp(joined.browser);
    await page.getByRole('button', { name: 'Remove second step developer' }).click();
    const dialog = page.getByRole('dialog');
    const go = dialog.getByRole('button', { name: 'Remove second step' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type developer to confirm').fill('developer');
    await go.click();
    await page.getByText('The second step is removed').waitFor();
    // A password alone is enough again.
    const { me } = await signIn(scene.posthorn, { email: DORA, password: joined.password });
    expect(me.user.email).toBe(DORA);
  });

  test('an owner hands over, is an admin then, and sees only what an admin may do', async () => {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Hand over ownership developer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type developer to confirm').fill('developer');
    await dialog.getByRole('button', { name: 'Hand over ownership' }).click();
    await page.getByText('The ownership is handed over').waitFor();
    await page.getByRole('row', { name: /Olga Owner.*Admin/ }).waitFor();
    await page.getByRole('row', { name: /developer.*Owner/ }).waitFor();
    await page
      .getByRole('button', { name: /developer$/ })
      .first()
      .waitFor({ state: 'detached' });
  });

  test('a member is removed by typing the name, and their session ends', async () => {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Remove developer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type developer to confirm').fill('developer');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('row', { name: /developer/ }).waitFor({ state: 'detached' });
    const { status } = await createBrowser(scene.posthorn).request('POST', '/v1/sign-in', {
      email: DORA,
      password: joined.password,
    });
    // The account stays, without any organisation.
    expect(status).toBe(200);
  });

  test('taking back an invitation and ending other sessions ask before they do', async () => {
    const { page } = dashboard;
    const dialog = page.getByRole('dialog');
    const ask = async (button: string | RegExp, go: string): Promise<void> => {
      await page.getByRole('button', { name: button }).click();
      await dialog.getByRole('button', { name: 'Leave it' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: button }).click();
      await dialog.getByRole('button', { name: go, exact: true }).click();
    };
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByLabel('E-mail address').fill('ida@example.com');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    // The link is shown only once.
    await dialog.getByLabel('Link').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await dialog.getByLabel('Link').isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'Close' }).click();
    const invited = page.getByRole('cell', { name: 'ida@example.com', exact: true });
    await invited.waitFor();
    await ask('Take back ida@example.com', 'Take back');
    await invited.waitFor({ state: 'detached' });

    await signIn(scene.posthorn, OWNER);
    await dashboard.open('/account');
    const others = page.getByRole('button', { name: /^End (?!all)/ });
    await others.first().waitFor();
    await ask('End all others', 'End all others');
    await others.first().waitFor({ state: 'detached' });
    await signIn(scene.posthorn, OWNER);
    await page.reload();
    await others.first().waitFor();
    expect(await others.count()).toBe(1);
    await ask(/^End (?!all)/, 'End');
    await others.first().waitFor({ state: 'detached' });
  });

  // The hundred first ones were all that was asked for, and nothing said that there are more.
  test('people beyond the first hundred are shown by a button', async () => {
    const { page } = dashboard;
    const { pool } = scene.posthorn.deps;
    await page.getByRole('row', { name: new RegExp(DORA) }).waitFor();
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await pool.query(
      `WITH made AS (
       INSERT INTO users (id, email, name, updated_at)
       SELECT posthorn_id('usr'), 'person-' || n || '@example.com', 'Person ' || n, now() FROM generate_series(1, 101) n
       RETURNING id
     )
     INSERT INTO members (organisation_id, user_id, role)
     SELECT (SELECT organisation_id FROM members LIMIT 1), id, 'viewer' FROM made`,
    );
    await dashboard.open('/members');
    const people = page.getByRole('row').filter({ hasText: '@example.com' });
    await page.getByRole('button', { name: 'Show more' }).click();
    await waitFor('all are shown', async () => (await people.count()) === 103);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });
});
