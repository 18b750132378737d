/**
 * Forms and buttons whose work is under way, by their elements. A second click or Enter comes before anything is drawn anew, and so no
 * state of a page could stop it: the event itself is stopped, before any page hears of it.
 */
const atWork = new WeakSet<Element>();
/** Two clicks of a double click, or two keys that were meant as one, come within it. */
const TWICE_MS = 500;
/** Whether the first of the clicks that follow each other has begun some work. */
let hasBegun = false;
/** The page that is on its way. */
let leading: Promise<unknown> = Promise.resolve();

/** The form that an event sends, or the button that it presses. A button that sends a form belongs to it. */
function placeOf(event: Event | undefined): HTMLElement | undefined {
  if (!(event?.target instanceof Element)) return undefined;
  if (event.target instanceof HTMLFormElement) return event.type === 'submit' ? event.target : undefined;
  const button = event.type === 'click' ? event.target.closest('button') : null;
  return (button?.type === 'submit' ? button.form : button) ?? undefined;
}

function stop(event: Event): void {
  if (event instanceof MouseEvent && event.detail === 1) hasBegun = false;
  // The second half of a double click may come upon what the first one has led to, such as the button that closes a secret.
  const isSecondHalf = event instanceof MouseEvent && event.detail > 1 && hasBegun;
  const place = placeOf(event);
  if (!isSecondHalf && (place === undefined || !atWork.has(place))) return;
  event.preventDefault();
  event.stopPropagation();
}

addEventListener('click', stop, { capture: true });
addEventListener('submit', stop, { capture: true });

/** Says to a reader of the screen, and by its looks, that a press does nothing now. `disabled` would take the focus away. */
function show(place: HTMLElement, isAtWork: boolean): void {
  const buttons = place instanceof HTMLFormElement ? place.querySelectorAll('button[type="submit"]') : [place];
  for (const button of buttons)
    if (isAtWork) button.setAttribute('aria-disabled', 'true');
    // One that its page has disabled meanwhile stays so.
    else if (!button.hasAttribute('data-disabled')) button.removeAttribute('aria-disabled');
}

/**
 * Does the work of the form or button whose event is being handled, which takes no other one before its end. After a failure, or `false`,
 * it takes the next one at once. After a success it waits for the page that this leads to, and for the length of a double click.
 */
export async function atWorkOf<T>(work: () => Promise<T>): Promise<T> {
  // The event is what names the element to each act, however many handlers are between.
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
    // The one who asked goes on first: the answer may lead to another page.
    else void Promise.all([twice, later(0)]).then(() => leading.finally(end));
    return done;
  } catch (error) {
    end();
    throw error;
  }
}

/** Nothing that has led to this page is sent again before it is there. */
export function leadsTo(page: Promise<unknown>): void {
  leading = page.catch(() => undefined);
}

const later = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
