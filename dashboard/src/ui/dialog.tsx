import { Dialog as Base } from '@base-ui/react/dialog';
import clsx from 'clsx';
import { X } from 'lucide-react';
import {
  createContext,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { EnvironmentPill } from './badge.tsx';
import { Button, IconButton } from './button.tsx';

type Common = {
  title: string;
  onClose: () => void;
  /** Shown after the title of a question about a change in that environment. */
  environment?: 'live' | 'test' | undefined;
  /** The element to focus first. If absent, the first focusable one. */
  firstFocus?: RefObject<HTMLElement | null>;
};

/** Fields and choices. */
const FIELD = 'input:not([type=hidden], [aria-hidden=true]), textarea, [role=combobox]';

const BACKDROP = 'fixed inset-0 z-40 animate-appear bg-overlay';

/** A modal dialog: a question, or a short form. Escape and a click outside close it. */
export function Dialog({
  title,
  onClose,
  environment,
  firstFocus,
  size = 'normal',
  description,
  children,
  actions,
  onSubmit,
}: Common & {
  size?: 'normal' | 'wide';
  /** What will happen, with a count. */
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons at the right end. The last one does what the title asks. */
  actions?: ReactNode;
  /** The content is a form. */
  onSubmit?: () => void;
}) {
  const content = (
    <>
      <Base.Title className="flex items-center gap-2.5 text-15 font-bold">
        {title}
        {environment !== undefined && <EnvironmentPill environment={environment} />}
      </Base.Title>
      {description !== undefined && (
        <Base.Description render={<div />} className="mt-2 text-text-2">
          {description}
        </Base.Description>
      )}
      {children !== undefined && (
        <div className="-mx-5 mt-4 flex min-h-0 flex-col gap-4 overflow-y-auto px-5 py-0.5 *:shrink-0">{children}</div>
      )}
      {actions !== undefined && <div className="mt-5 flex flex-wrap justify-end gap-2">{actions}</div>}
    </>
  );
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          {...(firstFocus !== undefined && { initialFocus: firstFocus })}
          className={clsx(
            'fixed top-[12vh] left-1/2 z-40 max-h-[80vh] w-[calc(100vw-32px)] -translate-x-1/2 animate-appear flex-col rounded-12 bg-raised p-5 shadow-3 outline-none flex',
            size === 'wide' ? 'max-w-160' : 'max-w-110',
          )}
        >
          {onSubmit === undefined ? (
            content
          ) : (
            <form className="flex min-h-0 flex-col" onSubmit={submitting(onSubmit)}>
              {content}
            </form>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Keeps the browser's own buttons from leaving a page with unsaved input. */
type LeaveGuard = (isWritten: () => boolean) => {
  /** The user wants to leave; call one of the two functions. */
  isAsked: boolean;
  stay: () => void;
  leave: () => void;
};

const NO_GUARD: LeaveGuard = () => ({ isAsked: false, stay: () => undefined, leave: () => undefined });

/** The router hook that drawers use. Without it the browser's own buttons leave the page at once. */
export const LeaveGuardContext = createContext<LeaveGuard>(NO_GUARD);

/**
 * A panel at the right edge: a form that creates something, or the details of a row on a narrow screen. Escape, a press
 * outside and its button close it. If a form in it has unsaved input, it asks first, also before the browser's own
 * buttons leave the page.
 */
export function Drawer({
  title,
  onClose,
  environment,
  firstFocus,
  children,
  actions,
  beside,
  size = 'normal',
  onSubmit,
}: Common & {
  children: ReactNode;
  /** Fixed at the bottom, always visible. */
  actions?: ReactNode;
  /** Placed before the close button. */
  beside?: ReactNode;
  size?: 'normal' | 'wide';
  onSubmit?: () => void;
}) {
  const body = useRef<HTMLDivElement>(null);
  // Focus the first field or else the content, not the close button: its tooltip would appear and consume the first
  // Escape.
  const [field] = useState(() => ({
    get current(): HTMLElement | null {
      return body.current?.querySelector<HTMLElement>(FIELD) ?? body.current;
    },
  }));
  const isWritten = useRef(false);
  const [isAsking, setIsAsking] = useState(false);
  const useLeaveGuard = useContext(LeaveGuardContext);
  const { isAsked, stay, leave } = useLeaveGuard(() => isWritten.current);
  useEffect(() => focusPageAfter, []);
  const keepEditing = (): void => {
    setIsAsking(false);
    stay();
  };
  const content = (
    <>
      <header className="flex h-bar shrink-0 items-center gap-2 border-b border-line pr-3 pl-5">
        <Base.Title className="text-15 font-bold">{title}</Base.Title>
        {environment !== undefined && <EnvironmentPill environment={environment} />}
        <span className="grow" />
        {beside}
        <Base.Close render={<IconButton icon={X} label="Close" keys="Esc" />} />
      </header>
      <div ref={body} tabIndex={-1} className="min-h-0 grow overflow-y-auto p-5 outline-none">
        {children}
      </div>
      {actions !== undefined && (
        <footer className="flex shrink-0 flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{actions}</footer>
      )}
    </>
  );
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && (isWritten.current ? setIsAsking(true) : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          data-drawer
          initialFocus={firstFocus ?? field}
          className={clsx(
            'fixed inset-y-0 right-0 z-40 w-screen animate-appear bg-surface shadow-3 outline-none',
            size === 'wide' ? 'md:max-w-[min(1040px,92vw)]' : 'md:max-w-155',
          )}
        >
          {onSubmit === undefined ? (
            <div className="flex h-full flex-col">{content}</div>
          ) : (
            <form
              className="flex h-full flex-col"
              onInput={() => (isWritten.current = true)}
              onSubmit={submitting(onSubmit)}
            >
              {content}
            </form>
          )}
        </Base.Popup>
      </Base.Portal>
      {(isAsking || isAsked) && (
        <Dialog
          title="Discard what you entered?"
          onClose={keepEditing}
          actions={
            <>
              <Button onClick={keepEditing}>Keep editing</Button>
              <Button look="danger" onClick={isAsked ? leave : onClose}>
                Discard
              </Button>
            </>
          }
        />
      )}
    </Base.Root>
  );
}

/**
 * If a drawer is a page of its own, the element that had the focus before is gone when it closes, and keys would reach
 * no part of the page.
 */
const focusPageAfter = (): void =>
  void requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true });
  });

const submitting = (then: () => void) => (event: FormEvent) => {
  event.preventDefault();
  event.stopPropagation();
  then();
};

/** Closes the drawer around it, which asks first if there is unsaved input. */
export const CancelButton = () => <Base.Close render={<Button>Cancel</Button>} />;

/** The two buttons of most questions. The confirming one repeats the verb of the title. */
export function DialogButtons({
  cancel = 'Cancel',
  go,
  onCancel,
  onGo,
  isDanger = false,
  isBusy = false,
  isDisabled = false,
  why,
}: {
  cancel?: string;
  go: string;
  onCancel: () => void;
  /** If absent, the button submits the form around it. */
  onGo?: () => void;
  isDanger?: boolean;
  isBusy?: boolean;
  isDisabled?: boolean;
  why?: string | undefined;
}) {
  return (
    <>
      <Button onClick={onCancel}>{cancel}</Button>
      <Button
        look={isDanger ? 'danger-fill' : 'primary'}
        type={onGo === undefined ? 'submit' : 'button'}
        isBusy={isBusy}
        isDisabled={isDisabled}
        why={why}
        {...(onGo !== undefined && { onClick: onGo })}
      >
        {go}
      </Button>
    </>
  );
}
