import { Menu as Base } from '@base-ui/react/menu';
import clsx from 'clsx';
import { Check, Ellipsis, type LucideIcon } from 'lucide-react';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

type MenuItem = {
  label: string;
  icon?: LucideIcon | undefined;
  onSelect?: () => void;
  /** A link instead of an action. */
  render?: ReactElement;
  /** The key that does the same. */
  keys?: string | undefined;
  /** Cannot be undone: placed last, below a line. */
  isDanger?: boolean;
  isDisabled?: boolean;
  isChecked?: boolean;
  /** One of several checkable items: the menu stays open. */
  isOneOfMany?: boolean;
};
/** Items with a line between the groups. A group may have a title. */
export type MenuGroup = { title?: string; items: readonly (MenuItem | undefined | false)[] };

const ITEM =
  'flex h-7.5 items-center gap-2 rounded-4 px-2 text-13 outline-none select-none data-highlighted:bg-hover data-disabled:text-text-disabled pointer-coarse:h-10';

/** A menu opened by any button. Empty groups are left out. */
export function Menu({
  trigger,
  groups,
  align = 'end',
  width,
  head,
}: {
  trigger: ReactElement;
  groups: readonly MenuGroup[];
  align?: 'start' | 'center' | 'end';
  width?: number;
  /** Shown above the items. */
  head?: ReactNode;
}) {
  const shown = groups
    .map((group) => ({ ...group, items: group.items.filter((item) => item !== undefined && item !== false) }))
    .filter(({ items }) => items.length > 0);
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} collisionPadding={8} className="z-50 outline-none">
          <Base.Popup
            className="max-h-(--available-height) min-w-44 animate-appear overflow-y-auto rounded-8 bg-raised p-1 shadow-2 outline-none"
            style={width === undefined ? undefined : { width }}
          >
            {head}
            {shown.map(({ title, items }, place) => (
              <Fragment key={title ?? place}>
                {place > 0 && <Base.Separator className="-mx-1 my-1 h-px bg-line" />}
                <Base.Group>
                  {title !== undefined && (
                    <Base.GroupLabel className="px-2 pt-1.5 pb-0.75 text-11 font-medium text-text-3">
                      {title}
                    </Base.GroupLabel>
                  )}
                  {items.map((item) => (
                    <Item key={item.label} item={item} />
                  ))}
                </Base.Group>
              </Fragment>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Item({ item }: { item: MenuItem }) {
  const {
    label,
    icon,
    onSelect,
    render,
    keys,
    isDanger = false,
    isDisabled = false,
    isChecked,
    isOneOfMany = false,
  } = item;
  const content = (
    <>
      {icon !== undefined && <Icon of={icon} className={isDanger ? undefined : 'text-text-3'} />}
      <span className="grow truncate">{label}</span>
      {isChecked === true && <Icon of={Check} isSmall className="text-accent" />}
      {keys !== undefined && <span className="text-11 text-text-3">{keys}</span>}
    </>
  );
  const className = clsx(ITEM, isDanger && 'text-failed');
  if (isChecked !== undefined)
    return (
      <Base.CheckboxItem
        className={className}
        checked={isChecked}
        onCheckedChange={() => onSelect?.()}
        disabled={isDisabled}
        closeOnClick={!isOneOfMany}
      >
        {content}
      </Base.CheckboxItem>
    );
  return (
    <Base.Item
      className={className}
      onClick={onSelect}
      disabled={isDisabled}
      {...(render !== undefined && { render, nativeButton: false })}
    >
      {content}
    </Base.Item>
  );
}

/** The menu with everything except the two or three main actions of a page. */
export function MoreMenu({
  groups,
  label = 'More actions',
  size,
}: {
  groups: readonly MenuGroup[];
  label?: string;
  size?: 'normal' | 'small';
}) {
  if (groups.every(({ items }) => items.every((item) => item === undefined || item === false))) return null;
  return (
    <Menu
      trigger={
        <IconButton
          icon={Ellipsis}
          label={label}
          look={size === 'small' ? 'quiet' : 'default'}
          {...(size && { size })}
        />
      }
      groups={groups}
    />
  );
}
