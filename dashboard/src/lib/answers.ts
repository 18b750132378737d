/** A status such as `503`, a range such as `500-503`, or a class such as `5xx`; undefined for any other text. */
export function statusesOf(text: string | undefined): string | undefined {
  return /^[1-5](?:xx|\d\d(?:-[1-5]\d\d)?)$/.exec(text ?? '')?.[0];
}

/** The same as a request has it: a single status is a number there. */
export const askedAnswer = (text: string | undefined): number | string | undefined => {
  const answers = statusesOf(text);
  return answers?.length === 3 && !answers.endsWith('x') ? Number(answers) : answers;
};

/** Whether a status is among the answers of such a text: a range may be given in either order. */
export function isAmong(status: number, text: string): boolean {
  const [one = '', other = one] = (statusesOf(text) ?? '').split('-');
  if (one.endsWith('xx')) return String(status).startsWith(one.charAt(0));
  const bounds = [Number(one), Number(other)];
  return status >= Math.min(...bounds) && status <= Math.max(...bounds);
}
