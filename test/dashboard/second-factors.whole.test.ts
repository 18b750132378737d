import { expect, test } from '@jest/globals';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { forgetSteps, totpCode } from '../support/make/factors.ts';
import { OWNER } from '../support/make/people.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('second factors in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  test('an authenticator app is asked for when its person signs in again', async () => {
    const { page } = dashboard;
    await dashboard.open('/account');
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('img', { name: 'QR code with the secret' }).waitFor();
    const secret = (await dialog.getByLabel('Secret for typing').innerText()).trim();
    await dialog.getByLabel('Code', { exact: true }).fill(totpCode(secret));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    const codes = (await dialog.getByLabel('Recovery codes').innerText()).trim().split('\n');
    expect(codes).toHaveLength(10);
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
    await dashboard.signOut();
    await forgetSteps(scene.posthorn);
    await page.getByLabel('E-mail address').fill(OWNER.email);
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code').fill(codes[0] ?? '');
    await page.getByLabel('Code').press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await dashboard.open('/account');
    await page.getByText('9 recovery codes are left.').waitFor();
  });

  test('a passkey is added, and signs its person in without a password', async () => {
    const { page, context } = dashboard;
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await dashboard.open('/account');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rename Laptop' }).click();
    await dialog.getByLabel('Name').fill('Old laptop');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('cell', { name: 'Old laptop', exact: true }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Olga O. Owner');
    await page.getByRole('button', { name: 'Save' }).click();
    // The session is read again once it is saved; the note "Saved" may be that of the passkey.
    await page.getByRole('button', { name: 'Account of Olga O. Owner' }).waitFor();
    await dashboard.open('/members');
    await page.getByRole('row', { name: /Olga O\. Owner/ }).waitFor();
    await dashboard.open('/account');
    await dashboard.signOut();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await dashboard.open('/account');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Your password is all that protects this account.').waitFor();
  });
});
