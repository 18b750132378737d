import Sequencer from '@jest/test-sequencer';

// Folders whose files take minutes, because processes die or real retry delays pass in them. A file that begins last would keep
// the other workers waiting.
const LONGEST = [
  '/test/faults/',
  '/test/dispatch/',
  '/test/deliveries/',
  '/test/retention/',
  '/test/replays/',
  '/test/scheduling/',
];

const rank = ({ path }) => {
  const place = LONGEST.findIndex((folder) => path.includes(folder));
  return place === -1 ? LONGEST.length : place;
};

/** Orders test files: the folders of LONGEST first, within a folder as jest does (by the last run's times, else by size). */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
}
