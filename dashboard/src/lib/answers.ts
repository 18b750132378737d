/**
 * Returns a status such as `503`, a range such as `500-503`, or a class such as `5xx`; undefined for any other text.
 */
export function statusesOf(text: string | undefined): string | undefined {
  return /^[1-5](?:xx|\d\d(?:-[1-5]\d\d)?)$/.exec(text ?? '')?.[0];
}

/** Returns the value as a request carries it: a single status is a number there. */
export const askedAnswer = (text: string | undefined): number | string | undefined => {
  const answers = statusesOf(text);
  return answers?.length === 3 && !answers.endsWith('x') ? Number(answers) : answers;
};
