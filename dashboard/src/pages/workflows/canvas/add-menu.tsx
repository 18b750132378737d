import { Autocomplete } from '@base-ui/react/autocomplete';
import { Search } from 'lucide-react';
import { STEP_WORDS } from '../../../lib/step-words.ts';
import { Icon } from '../../../ui/icon.tsx';

const GROUPS = [
  {
    value: 'Actions',
    items: ['action:http', 'action:connector', 'action:publish', 'workflow', 'action:log'],
  },
  {
    value: 'Flow',
    items: [
      'condition',
      'switch',
      'filter',
      'delay',
      'approval',
      'wait_for_event',
      'foreach',
      'parallel',
      'transform',
      'end',
    ],
  },
] as const;
type Group = { value: string; items: readonly string[] };

const nameOf = (kind: string): string => STEP_WORDS[kind]?.name ?? kind;

/** A searchable menu of the kinds of steps, at an element or at the position where something was dropped. */
export function AddMenu({
  anchor,
  hasEnd,
  onChoose,
  onClose,
}: {
  anchor: Element | { getBoundingClientRect: () => DOMRect };
  /** A step that ends the run makes sense only if nothing follows it. */
  hasEnd: boolean;
  onChoose: (kind: string) => void;
  onClose: () => void;
}) {
  const groups = GROUPS.map(({ value, items }) => ({ value, items: items.filter((kind) => hasEnd || kind !== 'end') }));
  return (
    <Autocomplete.Root
      items={groups}
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      itemToStringValue={nameOf}
      autoHighlight="always"
    >
      <Autocomplete.Portal>
        <Autocomplete.Positioner
          anchor={anchor}
          sideOffset={6}
          align="start"
          side="right"
          collisionPadding={8}
          className="z-50 outline-none"
        >
          <Autocomplete.Popup
            aria-label="Add a step"
            className="max-h-[min(var(--available-height),500px)] w-72 animate-appear overflow-y-auto rounded-8 bg-raised p-1 shadow-2 outline-none"
          >
            <div className="sticky -top-1 z-10 -mx-1 -mt-1 bg-raised p-1.5">
              <div className="flex h-7.5 items-center gap-2 rounded-6 border border-line-input px-2 focus-within:border-focus focus-within:ring-1 focus-within:ring-focus">
                <Icon of={Search} isSmall className="text-text-3" />
                <Autocomplete.Input
                  placeholder="Add a step…"
                  aria-label="Search steps"
                  className="min-w-0 grow bg-transparent outline-none"
                />
              </div>
            </div>
            <Autocomplete.Empty className="px-2 py-1.5 text-text-3 empty:hidden">No matches</Autocomplete.Empty>
            <Autocomplete.List>
              {(group: Group) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2 pt-1.5 pb-0.75 text-11 font-medium text-text-3">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(kind: string) => {
                      const { icon, about } = STEP_WORDS[kind] ?? {};
                      return (
                        <Autocomplete.Item
                          key={kind}
                          value={kind}
                          aria-label={nameOf(kind)}
                          onClick={() => onChoose(kind)}
                          className="flex min-h-7.5 items-center gap-2.5 rounded-4 py-1 px-2 text-13 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-10"
                        >
                          {icon !== undefined && <Icon of={icon} className="text-text-3" />}
                          <span className="min-w-0 grow">
                            {nameOf(kind)}
                            <span className="block truncate text-12 leading-4 text-text-3">{about}</span>
                          </span>
                        </Autocomplete.Item>
                      );
                    }}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}
