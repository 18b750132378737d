import type { App } from '../../identity/tenancy/apps/schema.ts';
import { print, say } from './serving/role.ts';
import { toTable, visible } from './printing.ts';
import { withIdentity } from './with-database.ts';

type Output = { json: boolean };

/** `posthorn apps create`: prints the id alone, so that a script can take it; with `json` everything about it. */
export async function createApp(
  { organisation, ...app }: { name: string; slug?: string; organisation?: string },
  { json }: Output,
): Promise<void> {
  const created = await withIdentity(({ apps }) => apps.operator.create(app, organisation));
  print(json ? JSON.stringify(created, undefined, 2) : created.id);
  if (!json)
    say(
      `The app has a live and a test environment. Make keys for them: npx posthorn keys create --app ${created.slug} --env live`,
    );
}

/** `posthorn apps list`: every app, of every organisation. */
export async function listApps({ json }: Output): Promise<void> {
  const apps = await withIdentity(({ apps: service }) => service.operator.list());
  print(json ? JSON.stringify(apps, undefined, 2) : describeApps(apps));
}

/** `posthorn apps suspend`: its credentials are refused in every process within 5 s, and its deliveries wait. */
export async function suspendApp(ref: string): Promise<void> {
  const { slug, id } = await withIdentity(({ apps }) => apps.operator.setStatus(ref, 'suspended'));
  print(`Suspended ${slug} (${id})`);
}

/** `posthorn apps activate`: its deliveries go on, and its credentials are taken in every process within 5 s. */
export async function activateApp(ref: string): Promise<void> {
  const { slug, id } = await withIdentity(({ apps }) => apps.operator.setStatus(ref, 'active'));
  print(`Activated ${slug} (${id})`);
}

const describeApps = (apps: readonly App[]): string =>
  toTable([
    ['ID', 'SLUG', 'STATUS', 'NAME'],
    ...apps.map(({ id, slug, status, name }) => [id, slug, status, visible(name)]),
  ]);
