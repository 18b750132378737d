/**
 * Texts in quotes and comments: names in them are none. A text that is not closed matches too, else the search would start
 * anew at each of its quotes.
 */
const QUOTED = /"(?:[^\\"\n]|\\.)*"?|'(?:[^\\'\n]|\\.)*'?|\/\/[^\n]*/g;
const OF_EVENT = /(?<![\w.$])event\s*\.\s*(?=(?:payload|metadata|eventType)\b)/g;

/**
 * A trigger's filter in the words of a subscription's: `event.payload` and `payload` mean the same. Spaces stand where `event.` stood, so
 * that a fault is told with the place in its author's text.
 */
export function triggerFilter(expression: string): string {
  const bare = expression.replaceAll(QUOTED, (quoted) => ' '.repeat(quoted.length));
  let filter = expression;
  for (const { 0: name, index } of bare.matchAll(OF_EVENT))
    filter = filter.slice(0, index) + name.replaceAll(/\S/g, ' ') + filter.slice(index + name.length);
  return filter;
}
