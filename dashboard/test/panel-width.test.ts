import { expect, test } from '@jest/globals';
import { boundedWidth, mostWidth, widthByKey } from '../src/lib/panel-width.ts';

test.each([
  ['within its bounds', 500, 1_440, 500],
  ['too narrow', 100, 1_440, 360],
  ['wider than 60 % of the window', 1_200, 1_440, 864],
  ['of a window that has no room for its least', 480, 500, 360],
])('a width %s', (_, width, windowWidth, expected) => {
  expect(boundedWidth(width, windowWidth)).toBe(expected);
});

test.each([
  ['ArrowLeft', 480, 504],
  ['ArrowRight', 480, 456],
  ['ArrowRight', 370, 360],
  ['ArrowLeft', 860, 864],
  ['Home', 480, 360],
  ['End', 480, 864],
  ['a', 480, undefined],
])('the key %s at a border at %d px', (key, width, expected) => {
  expect(mostWidth(1_440)).toBe(864);
  expect(widthByKey(key, width, 1_440)).toBe(expected);
});
