/** A status such as `503`, or a class such as `5xx`; undefined for any other text. */
export const statusOrClass = (text: string | undefined): string | undefined =>
  /^[1-5](?:\d\d|xx)$/.exec(text ?? '')?.[0];

/** The same as a request has it: a status is a number there. */
export const askedAnswer = (text: string | undefined): number | string | undefined => {
  const answer = statusOrClass(text);
  return answer === undefined || answer.endsWith('x') ? answer : Number(answer);
};
