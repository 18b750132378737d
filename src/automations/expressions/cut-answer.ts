/** An output that stands for an answer which is too long: it has no `body`, so that nobody takes a part for all of it. */
export type CutAnswer = {
  truncated: true;
  /** Size of the whole answer; null where nobody said. */
  bytes: number | null;
  /** The answer's beginning. */
  text: string;
};

/** Whether the output of a step is that of an answer which was cut. */
export function isCut<Output>(output: Output): output is Output & CutAnswer {
  if (typeof output !== 'object' || output === null || !('truncated' in output && 'text' in output)) return false;
  return output.truncated === true && typeof output.text === 'string';
}
