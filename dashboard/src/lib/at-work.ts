/**
 * Forms and buttons with work in progress, by element. A second click or Enter arrives before React renders again, so
 * page state cannot stop it. Instead the event itself is stopped before any page handles it.
 */
const atWork = new WeakSet<Element>();
/** Two clicks of a double click, or two key presses meant as one, arrive within this time. */
const TWICE_MS = 500;
/** Whether the first of several successive clicks has started work. */
let hasBegun = false;
/** The navigation in progress. */
let leading: Promise<unknown> = Promise.resolve();

/** Returns the form that an event submits, or the button that it presses. A submit button counts as its form. */
function placeOf(event: Event | undefined): HTMLElement | undefined {
  if (!(event?.target instanceof Element)) return undefined;
  if (event.target instanceof HTMLFormElement) return event.type === 'submit' ? event.target : undefined;
  const button = event.type === 'click' ? event.target.closest('button') : null;
  return (button?.type === 'submit' ? button.form : button) ?? undefined;
}

function stop(event: Event): void {
  if (event instanceof MouseEvent && event.detail === 1) hasBegun = false;
  // The second half of a double click may land on what the first one has opened, such as the button that closes a
  // secret.
  const isSecondHalf = event instanceof MouseEvent && event.detail > 1 && hasBegun;
  const place = placeOf(event);
  if (!isSecondHalf && (place === undefined || !atWork.has(place))) return;
  event.preventDefault();
  event.stopPropagation();
}

addEventListener('click', stop, { capture: true });
addEventListener('submit', stop, { capture: true });

/** Shows, also to screen readers, that a press does nothing now. `disabled` would take the focus away. */
function show(place: HTMLElement, isAtWork: boolean): void {
  const buttons = place instanceof HTMLFormElement ? place.querySelectorAll('button[type="submit"]') : [place];
  for (const button of buttons)
    if (isAtWork) button.setAttribute('aria-disabled', 'true');
    // A button that its page has disabled meanwhile stays disabled.
    else if (!button.hasAttribute('data-disabled')) button.removeAttribute('aria-disabled');
}

/**
 * Runs the work of the form or button whose event is being handled, and ignores further presses of it until the work
 * ends. After a failure, or `false`, the next press works at once. After a success it waits for the navigation that
 * follows, and for the length of a double click.
 */
export async function atWorkOf<T>(work: () => Promise<T>): Promise<T> {
  // The event identifies the element, however many handlers are in between.
  const place = placeOf(window.event);
  if (place === undefined) return work();
  const twice = later(TWICE_MS);
  atWork.add(place);
  hasBegun = true;
  show(place, true);
  const end = (): void => {
    atWork.delete(place);
    show(place, false);
  };
  try {
    const done = await work();
    if (done === false) end();
    // The caller continues first, because the result may lead to another page.
    else void Promise.all([twice, later(0)]).then(() => leading.finally(end));
    return done;
  } catch (error) {
    end();
    throw error;
  }
}

/** Blocks whatever led to this navigation from being sent again until the new page is there. */
export function leadsTo(page: Promise<unknown>): void {
  leading = page.catch(() => undefined);
}

const later = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
