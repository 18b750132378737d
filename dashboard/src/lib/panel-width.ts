/** CSS pixels. The panel beside a list is so wide until its person makes it wider or narrower. */
export const USUAL_WIDTH = 480;
export const LEAST_WIDTH = 360;
/** A step of an arrow key. */
const STEP = 24;
/** The list stays in view behind it. */
const MOST_PART = 0.6;

/** The widest that the panel may be in a window. Less than the least: the window has room for the panel alone. */
export const mostWidth = (windowWidth: number): number => Math.floor(windowWidth * MOST_PART);

/** A width within its bounds. */
export const boundedWidth = (width: number, windowWidth: number): number =>
  Math.round(Math.max(LEAST_WIDTH, Math.min(mostWidth(windowWidth), width)));

/** The width that a key at the border of the panel asks for. Undefined: the key means nothing there. The panel stands on the right. */
export function widthByKey(key: string, width: number, windowWidth: number): number | undefined {
  const wanted: Readonly<Record<string, number>> = {
    ArrowLeft: width + STEP,
    ArrowRight: width - STEP,
    Home: LEAST_WIDTH,
    End: mostWidth(windowWidth),
  };
  const found = wanted[key];
  return found === undefined ? undefined : boundedWidth(found, windowWidth);
}
