import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { ApiError } from '../../kernel/errors.ts';
import { isId } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { Caller } from '../../api/caller.ts';
import { type CreateView, type ListViews, type UpdateView, type View, viewChange } from './schema.ts';
import * as store from './store.ts';

/** Views per person, across all pages: more than menus show, and as many as one page of a list. */
const MOST_VIEWS = 100;

/** Saved views of lists. They are only visible to the person, so they are not in the audit log. */
export type Views = {
  create(caller: Caller, body: CreateView): Promise<View>;
  list(caller: Caller, query: ListViews): Promise<Page<View>>;
  update(caller: Caller, id: string, body: UpdateView): Promise<View>;
  remove(caller: Caller, id: string): Promise<void>;
};

const noSuchView = (): ApiError => new ApiError('NOT_FOUND', 'You have no such view');

export function createViews({ db, clock, newId }: Pick<Dependencies, 'db' | 'clock' | 'newId'>): Views {
  const refuseTaken = async (
    transaction: DatabaseTransaction,
    wanted: { userId: string; page: string; name: string; id?: string },
  ): Promise<void> => {
    if (await store.isNameTaken(transaction, wanted))
      throw new ApiError('CONFLICT', 'You already have a view with this name on this page');
  };

  return {
    create: ({ principal: { id: userId } }, body) =>
      db.$transaction(async (transaction) => {
        if ((await store.countLocked(transaction, userId)) >= MOST_VIEWS)
          throw new ApiError('CONFLICT', `A person can have at most ${MOST_VIEWS} views; delete one first`);
        await refuseTaken(transaction, { ...body, userId });
        const now = clock();
        return store.insertView(transaction, userId, { id: newId('view'), ...body, createdAt: now, updatedAt: now });
      }),

    async list({ principal: { id: userId } }, query) {
      const scope: ListScope = { list: 'views', environmentId: userId, filters: {} };
      const page = pageRequest(scope, query);
      return toPage(scope, page.limit, await store.findViews(db, userId, page), (view) => view);
    },

    update: ({ principal: { id: userId } }, id, body) =>
      db.$transaction(async (transaction) => {
        await store.countLocked(transaction, userId);
        const view = isId('view', id) ? await store.findView(transaction, { userId, id }) : undefined;
        if (view === undefined) throw noSuchView();
        const change = viewChange.of(view, body);
        if (Object.keys(change).length === 0) return view;
        if (change.name !== undefined)
          await refuseTaken(transaction, { userId, page: view.page, name: change.name, id });
        return store.updateView(transaction, id, change, clock());
      }),

    async remove({ principal: { id: userId } }, id) {
      const isRemoved = isId('view', id) && (await store.deleteView(db, { userId, id }));
      if (!isRemoved) throw noSuchView();
    },
  };
}
