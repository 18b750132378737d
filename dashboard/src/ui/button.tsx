import { Button as Base } from '@base-ui/react/button';
import clsx from 'clsx';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { MouseEventHandler, ReactElement, ReactNode, Ref } from 'react';
import { Icon } from './icon.tsx';
import { Kbd } from './kbd.tsx';
import { Tip } from './tooltip.tsx';

type Look = 'default' | 'primary' | 'quiet' | 'danger' | 'danger-fill';

const LOOKS: Readonly<Record<Look, string>> = {
  default: 'border-line-strong bg-raised shadow-1 hover:bg-hover active:bg-pressed',
  primary: 'border-transparent bg-accent-fill text-on-fill shadow-1 hover:bg-accent-fill-hover',
  quiet: 'border-transparent text-text-2 hover:bg-hover hover:text-text active:bg-pressed',
  danger: 'border-line-strong bg-raised text-failed shadow-1 hover:bg-failed-soft',
  'danger-fill': 'border-transparent bg-danger-fill text-on-fill shadow-1 hover:bg-danger-fill-hover',
};

type Common = {
  look?: Look;
  size?: 'normal' | 'small';
  /** Work is in progress: the button shows it, keeps its width, and ignores presses. */
  isBusy?: boolean;
  isDisabled?: boolean;
  /** Why it is disabled; shown as its tooltip. */
  why?: string | undefined;
  type?: 'button' | 'submit';
  onClick?: MouseEventHandler<HTMLElement>;
  /** Another element to render instead of the button, such as a link of the router. */
  render?: ReactElement;
  className?: string;
  ref?: Ref<HTMLElement>;
  'aria-expanded'?: boolean;
  'aria-pressed'?: boolean;
  'aria-haspopup'?: 'dialog' | 'menu' | 'listbox';
  id?: string;
  form?: string;
  /** Its accessible name, if the visible text is not enough. */
  label?: string;
};

/** A button labelled with a verb and an object. Use one `primary` per view. */
export function Button({
  icon,
  iconEnd,
  keys,
  children,
  ...rest
}: Common & {
  icon?: LucideIcon | undefined;
  iconEnd?: LucideIcon | undefined;
  /** The key that does the same. */
  keys?: string | undefined;
  children: ReactNode;
}) {
  const shown = rest.isBusy === true ? LoaderCircle : icon;
  return (
    <Bare {...rest} className={clsx(rest.size === 'small' ? 'px-2' : 'px-2.75', rest.className)}>
      {shown !== undefined && (
        <Icon
          of={shown}
          isSmall={rest.size === 'small'}
          className={rest.isBusy === true ? 'animate-spin' : undefined}
        />
      )}
      {/* In a narrow bar the primary action is only an icon. */}
      {rest.look === 'primary' && icon !== undefined ? (
        <span className="max-md:in-data-bar:sr-only">{children}</span>
      ) : (
        children
      )}
      {keys !== undefined && <Kbd isOnFill={rest.look === 'primary'}>{keys}</Kbd>}
      {iconEnd !== undefined && <Icon of={iconEnd} isSmall className="text-text-3" />}
    </Bare>
  );
}

/** A button with only an icon. Its label is its accessible name and its tooltip. */
export function IconButton({
  icon,
  label,
  keys,
  ...rest
}: Common & { icon: LucideIcon; label: string; keys?: string | undefined }) {
  const shown = rest.isBusy === true ? LoaderCircle : icon;
  const size = rest.size === 'small' ? 'w-control-small' : 'w-control';
  return (
    <Tip text={label} keys={keys}>
      <Bare look="quiet" {...rest} label={label} className={clsx(size, 'shrink-0', rest.className)}>
        <Icon
          of={shown}
          isSmall={rest.size === 'small'}
          className={rest.isBusy === true ? 'animate-spin' : undefined}
        />
      </Bare>
    </Tip>
  );
}

function Bare({
  look = 'default',
  size = 'normal',
  isBusy = false,
  isDisabled = false,
  why,
  className,
  children,
  type = 'button',
  label,
  ...rest
}: Common & { children: ReactNode }) {
  const off = isDisabled || isBusy;
  const button = (
    <Base
      {...rest}
      {...(rest.render === undefined ? { type } : { nativeButton: false, role: undefined })}
      disabled={off}
      focusableWhenDisabled
      aria-busy={isBusy || undefined}
      aria-label={label}
      className={clsx(
        'inline-flex items-center justify-center gap-1.5 rounded-6 border font-medium whitespace-nowrap transition-colors duration-(--fast) select-none',
        size === 'small' ? 'h-control-small text-12' : 'h-control text-13',
        off && !isBusy
          ? clsx('text-text-disabled shadow-none', look === 'quiet' ? 'border-transparent' : 'border-line')
          : LOOKS[look],
        className,
      )}
    >
      {children}
    </Base>
  );
  return why !== undefined && off ? <Tip text={why}>{button}</Tip> : button;
}
