import { useState } from 'react';
import { api, type Subscription } from '../../api/client.ts';
import { fieldNames } from '../../lib/edits.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { changedPolicy } from '../../lib/retry-policy.ts';
import { useHere } from '../../lib/session.ts';
import { subscriptionFields, updateBody } from '../../lib/subscription-fields.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { NewerNote } from '../../parts/newer-note.tsx';
import { isAtField } from '../../parts/problem-of.ts';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { useEdits } from '../../parts/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { FIELD_NAMES, REJECTED_FIELDS } from './field-names.ts';
import { SubscriptionFieldGroups } from './subscription-form.tsx';

/** Edits a subscription: everything except its channel. */
export function SubscriptionSettings({ of: row }: { of: Subscription }) {
  const { at } = useHere();
  const refresh = useRefresh();
  const edits = useEdits(subscriptionFields(row), `subscription ${row.id}`);
  const { values, written } = edits;
  const [error, setError] = useState<unknown>();
  const save = (): void => {
    setError(undefined);
    edits.save({
      names: fieldNames({ ...written, ...changedPolicy(written, values) }),
      read: async () => subscriptionFields(await api.subscriptions.get(row.id, at)),
      send: async () => subscriptionFields(await api.subscriptions.update(row.id, updateBody({ values, written }), at)),
      refresh,
      onFailure: setError,
    });
  };
  const request = useRequestToggle(save);
  const isChanged = Object.keys(written).length > 0;
  return (
    <form
      className="flex max-w-140 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <SubscriptionFieldGroups
        values={values}
        write={edits.write}
        error={error}
        channelId={row.channelId}
        usualTimeoutMs={row.timeoutMs}
        isNew={false}
      />
      {!isAtField(error, REJECTED_FIELDS) && <FailureNote error={error} />}
      {request.lines}
      <div className="sticky bottom-0 -mx-2 flex flex-wrap justify-end gap-2 border-t border-line bg-surface px-2 py-3">
        <NewerNote edits={edits} at={row.updatedAt} names={FIELD_NAMES} />
        {request.button}
        <Button onClick={edits.drop} isDisabled={!isChanged}>
          Cancel
        </Button>
        <Button look="primary" type="submit" isDisabled={!isChanged}>
          Save
        </Button>
      </div>
    </form>
  );
}
