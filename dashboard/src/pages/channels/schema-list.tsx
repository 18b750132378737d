import clsx from 'clsx';
import { CircleAlert, Plus } from 'lucide-react';
import { useState } from 'react';
import { counted } from '../../lib/words.ts';
import { CountTag } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { ALL } from './schema-fields.ts';

export type ListedSchema = {
  type: string;
  isEmpty: boolean;
  isEdited: boolean;
  hasProblem: boolean;
  /** Recent messages of the type that are invalid. */
  invalid: number;
};

/** The name of a schema in the list. */
export const schemaName = (type: string): string => (type === ALL ? 'All event types' : type);

/** The schemas of a channel, one of which is open. `onAdd` is absent if none can be added. */
export function SchemaList({
  of: schemas,
  chosen,
  onChoose,
  known,
  onAdd,
}: {
  of: readonly ListedSchema[];
  chosen: string;
  onChoose: (type: string) => void;
  /** Event types that have no schema yet. */
  known: readonly string[];
  onAdd?: (type: string) => void;
}) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Section
      title="Schemas"
      end={
        onAdd !== undefined && (
          <IconButton icon={Plus} size="small" label="Add event type" onClick={() => setIsAdding(true)} />
        )
      }
    >
      <ul aria-label="Schemas" className="-mx-2 flex max-h-120 flex-col gap-px overflow-y-auto max-xl:max-h-60">
        {schemas.map(({ type, isEmpty, isEdited, hasProblem, invalid }) => (
          <li key={type}>
            <button
              type="button"
              aria-current={type === chosen}
              onClick={() => onChoose(type)}
              className={clsx(
                'flex h-8 w-full items-center gap-2 rounded-6 px-2 text-left pointer-coarse:h-10',
                type === chosen ? 'bg-pressed font-medium' : 'hover:bg-hover',
              )}
            >
              <span className={clsx('min-w-0 truncate', type !== ALL && 'mono')}>{schemaName(type)}</span>
              {isEmpty && <span className="text-12 font-normal text-text-2">none</span>}
              <span className="ml-auto flex shrink-0 items-center gap-1.5">
                {invalid > 0 && <CountTag isBad>{counted(invalid, 'invalid', 'invalid')}</CountTag>}
                {hasProblem && <Icon of={CircleAlert} isSmall label="Has a problem" className="text-failed" />}
                {isEdited && !hasProblem && (
                  <span role="img" aria-label="Not saved" className="size-1.5 rounded-full bg-accent-fill" />
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {isAdding && onAdd !== undefined && (
        <AddType
          known={known}
          onClose={() => setIsAdding(false)}
          onAdd={(type) => {
            setIsAdding(false);
            onAdd(type);
          }}
        />
      )}
    </Section>
  );
}

function AddType({
  known,
  onAdd,
  onClose,
}: {
  known: readonly string[];
  onAdd: (type: string) => void;
  onClose: () => void;
}) {
  const [type, setType] = useState('');
  const isEmpty = type.trim() === '';
  return (
    <Dialog
      title="Add event type"
      onClose={onClose}
      onSubmit={() => !isEmpty && onAdd(type.trim())}
      actions={<DialogButtons go="Add event type" onCancel={onClose} isDisabled={isEmpty} />}
    >
      <SuggestField
        label="Event type"
        value={type}
        onChange={setType}
        known={known}
        isMono
        hasFocus
        placeholder="order.created"
        hint="Exactly as it is published. Its schema applies in addition to that of all event types."
      />
    </Dialog>
  );
}
