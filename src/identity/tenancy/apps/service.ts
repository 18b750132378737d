import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { Audit } from '../audit/service.ts';
import type { TenantCaller } from '../../../api/caller.ts';
import { completeRetryPolicy, retryPolicyProblem } from '../../../kernel/contract/retry-policy.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { changedParts } from '../../../kernel/words/audit-actions.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import {
  type App,
  appChange,
  type AppSettings,
  type CreateApp,
  type ListApps,
  MAX_SLUG_LENGTH,
  type UpdateApp,
} from './schema.ts';
import * as store from './store.ts';
import { activateResources, suspendResources } from './store.ts';

/** Flagging ten thousand subscriptions takes about half a second. Prisma's default is 5 s. */
const CHANGE_TIMEOUT_MS = 60_000;

export type Apps = {
  /** Creates an app in the caller's organisation, with a live and a test environment. */
  create(caller: TenantCaller, body: CreateApp): Promise<App>;
  list(caller: TenantCaller, query: ListApps): Promise<Page<App>>;
  get(caller: TenantCaller, id: string): Promise<App>;
  /** Credentials of a suspended app are refused at once in this process, and within 5 s in others. */
  update(caller: TenantCaller, id: string, body: UpdateApp): Promise<App>;
  /**
   * Returns the app in which a resource is being created, with a shared lock until the transaction ends. Lock it before
   * anything else in the app, because suspending the app does so too.
   */
  share(transaction: DatabaseTransaction, appId: string): Promise<store.AppAsParent>;
  /** For the command line, which uses the system connection and is not bound to an organisation. */
  operator: {
    /** Creates an app in that organisation. Default: the only one that has an app. */
    create(app: AppDraft, organisationId: string | undefined): Promise<App>;
    list(): Promise<App[]>;
    /**
     * Returns the app with that id or slug, or the only app if neither is given. Throws NOT_FOUND, or CONFLICT if there
     * are several.
     */
    find(ref: string | undefined): Promise<App>;
    setStatus(ref: string, status: App['status']): Promise<App>;
  };
};

type Collaborators = {
  audit: Pick<Audit, 'record' | 'operatorOn'>;
  /** Creates the system channels of environments that have none. */
  makeSystemChannels(transaction: DatabaseTransaction): Promise<void>;
  /** Removes the credentials of an app from the caches of every process of this supervisor. */
  forget(appId: string): Promise<void>;
};

export function createApps(
  // Apps are created and changed with the system connection (db), because both of their environments change with them.
  { db, tenants, newId, clock }: Pick<Dependencies, 'db' | 'tenants' | 'newId' | 'clock'>,
  { audit, makeSystemChannels, forget }: Collaborators,
): Apps {
  const insert = (
    by: TenantCaller | undefined,
    organisationId: string,
    { status = 'active', settings = {}, ...body }: AppDraft,
  ): Promise<App> =>
    db.$transaction(async (transaction) => {
      if (!(await store.lockOrganisation(transaction, organisationId))) throw appNotFound();
      const slug = body.slug ?? slugOf(body.name);
      await refuseTakenSlug(transaction, organisationId, slug);
      const ownSettings = mergedSettings({}, settings);
      const environmentIds = { live: newId('environment'), test: newId('environment') };
      const ids = { id: newId('app'), organisationId, environmentIds };
      const app = await store.insertApp(transaction, { ...body, ...ids, slug, status, ownSettings, now: clock() });
      await makeSystemChannels(transaction);
      const after = { ...body, slug, status, settings: ownSettings };
      await audit.record(transaction, by ?? audit.operatorOn(app), {
        action: 'app.created',
        target: { id: app.id },
        after,
      });
      return shown(app);
    });

  /** Changes a locked app, and whatever depends on its status. */
  const change = async (
    transaction: DatabaseTransaction,
    by: TenantCaller | undefined,
    app: store.StoredApp,
    { settings, ...columns }: UpdateApp,
  ): Promise<App> => {
    const now = clock();
    const ownSettings = settings === undefined ? {} : { ownSettings: mergedSettings(app.ownSettings, settings) };
    const updated = await store.updateApp(transaction, app.id, { ...columns, ...ownSettings }, now);
    if (columns.status === 'suspended') await suspendResources(transaction, app.id, now);
    if (columns.status === 'active') await activateResources(transaction, app.id, now);
    const names = [...Object.keys(columns), ...(settings === undefined ? [] : ['settings'])];
    const parts = changedParts(shown(app), shown(updated), names);
    await audit.record(transaction, by ?? audit.operatorOn(app), {
      action: 'app.updated',
      target: { id: app.id },
      ...parts,
    });
    return shown(updated);
  };

  const find = async (ref: string | undefined): Promise<App> => {
    const found = await store.findAppsNamed(db, ref, TOLD + 1);
    const [app, ...others] = found;
    if (app !== undefined && others.length === 0) return shown(app);
    if (app !== undefined)
      throw new ApiError('CONFLICT', `Several apps match. Name one by its id (--app): ${described(found)}`);
    throw new ApiError(
      'NOT_FOUND',
      ref === undefined
        ? 'There is no app yet. Start the service once to create one'
        : noApp(ref, await store.findAppsNamed(db, undefined, TOLD + 1)),
    );
  };

  const onlyOrganisation = async (): Promise<string> => {
    const found = await store.findOrganisationsWithApps(db, TOLD + 1);
    const [id, ...others] = found;
    if (id === undefined)
      throw new ApiError('NOT_FOUND', 'There is no organisation yet. Start the service once to create one');
    if (others.length > 0)
      throw new ApiError('CONFLICT', `There are several organisations. Name one by its id: ${told(found)}`);
    return id;
  };

  return {
    create: (caller, body) => insert(caller, caller.organisationId, body),

    async list(caller, query) {
      const { organisationId } = caller;
      const { status } = query;
      // The list belongs to the organisation, so its cursors do not belong to an environment.
      const scope: ListScope = { list: 'apps', environmentId: organisationId, filters: { status } };
      const page = pageRequest(scope, query);
      const rows = await tenants.list(caller, (transaction) =>
        store.findApps(transaction, { organisationId, status }, page),
      );
      return toPage(scope, page.limit, rows, shown);
    },

    async get(caller, id) {
      const app = mayName(caller, id)
        ? await tenants.within(caller, (transaction) => store.findApp(transaction, caller.organisationId, id))
        : undefined;
      if (app === undefined) throw appNotFound();
      return shown(app);
    },

    async update(caller, id, body) {
      const { app, isMoved } = await db.$transaction(
        async (transaction) => {
          // Lock the organisation first, as when creating an app: of two requests with the same slug, the second sees
          // the first.
          if (body.slug !== undefined) await store.lockOrganisation(transaction, caller.organisationId);
          const stored = mayName(caller, id) ? await store.lockApp(transaction, caller.organisationId, id) : undefined;
          if (stored === undefined) throw appNotFound();
          const changed = appChange.of(stored, body);
          if (changed.status !== undefined) refuseStatusOfOwnApp(caller);
          refuseTestCredential(caller);
          if (changed.slug !== undefined) await refuseTakenSlug(transaction, stored.organisationId, changed.slug, id);
          if (Object.keys(changed).length === 0) return { app: shown(stored), isMoved: false };
          return { app: await change(transaction, caller, stored, changed), isMoved: changed.status !== undefined };
        },
        { timeout: CHANGE_TIMEOUT_MS },
      );
      if (isMoved) await forget(id);
      return app;
    },

    async share(transaction, appId) {
      const app = await store.shareApp(transaction, appId);
      if (app === undefined) throw appNotFound();
      return app;
    },

    operator: {
      async create(app, organisationId) {
        const problem = nameProblem(app.name);
        if (problem !== undefined) throw invalidField('name', problem);
        return insert(undefined, organisationId ?? (await onlyOrganisation()), app);
      },
      list: async () => (await store.findAllApps(db)).map(shown),
      find,
      async setStatus(ref, status) {
        const { id, organisationId } = await find(ref);
        const app = await db.$transaction(
          async (transaction) => {
            const stored = await store.lockApp(transaction, organisationId, id);
            if (stored === undefined) throw appNotFound();
            return stored.status === status ? shown(stored) : change(transaction, undefined, stored, { status });
          },
          { timeout: CHANGE_TIMEOUT_MS },
        );
        await forget(id);
        return app;
      },
    },
  };
}

type AppDraft = Omit<CreateApp, 'status'> & Partial<Pick<CreateApp, 'status'>>;

/** A credential of an environment can name only its own app. Malformed ids never reach the database. */
const mayName = (caller: TenantCaller, id: string): boolean =>
  isId('app', id) && (caller.level === 'organisation' || caller.appId === id);

const appNotFound = (): ApiError => new ApiError('NOT_FOUND', 'There is no such app');

/**
 * A test key could take the live environment out of service and not bring it back, because credentials of a suspended
 * app do not work.
 */
function refuseStatusOfOwnApp(caller: TenantCaller): void {
  if (caller.level === 'organisation' || caller.principal.kind === 'person') return;
  const reason = 'can be changed only by a user who is signed in, or with `posthorn apps`';
  throw new ApiError('FORBIDDEN', `status: ${reason}`, { details: { field: 'status', reason } });
}

/**
 * Name, slug and settings also apply to the live environment. Users have their rights in both environments, wherever
 * they act.
 */
function refuseTestCredential(caller: TenantCaller): void {
  if (caller.level === 'organisation' || caller.principal.kind === 'person' || caller.environment === 'live') return;
  const reason = 'belongs to the test environment, but changing the app affects live too';
  throw new ApiError('FORBIDDEN', `Authorization: ${reason}`, { details: { field: 'Authorization', reason } });
}

async function refuseTakenSlug(
  transaction: DatabaseTransaction,
  organisationId: string,
  slug: string,
  butOf?: string,
): Promise<void> {
  if (!(await store.hasSlug(transaction, organisationId, slug, butOf))) return;
  const reason = `is already used by another app of this organisation`;
  throw new ApiError('CONFLICT', `slug: ${reason}`, { details: { field: 'slug', reason } });
}

/** Derives a slug from a name: its letters and digits, with hyphens between them. `app` if it has none. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  return words.slice(0, MAX_SLUG_LENGTH).replace(/-$/, '') || 'app';
}

/** Merges a change into the settings of an app. Null resets to the defaults of the service. */
function mergedSettings(own: AppSettings, given: NonNullable<UpdateApp['settings']> | null): AppSettings {
  if (given === null) return {};
  const { retryPolicy, ...rest } = given;
  const merged: Record<string, unknown> = { ...own, ...rest };
  if (retryPolicy === null) delete merged['retryPolicy'];
  else if (retryPolicy !== undefined) {
    const policy = completeRetryPolicy(retryPolicy, own.retryPolicy);
    const problem = retryPolicyProblem(policy);
    if (problem !== undefined) throw invalidField(`settings.retryPolicy.${problem.field}`, problem.reason);
    merged['retryPolicy'] = policy;
  }
  // `as`: without nulls, it has exactly the fields of AppSettings.
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as AppSettings;
}

function shown(stored: store.StoredApp): App {
  const { ownSettings: _, ...app } = stored;
  return app;
}

// Enough for an operator to choose from. `posthorn apps list` shows all.
const TOLD = 20;
const told = (names: readonly string[]): string =>
  `${names.slice(0, TOLD).join(', ')}${names.length > TOLD ? ' and others' : ''}`;
const described = (apps: readonly App[]): string => told(apps.map(({ id, slug }) => `${slug} (${id})`));
const noApp = (ref: string, all: readonly App[]): string =>
  all.length === 0 ? `There is no app ${ref}` : `There is no app ${ref}. Existing apps: ${described(all)}`;
