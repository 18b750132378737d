/** The service takes so many ids in one request. */
const MOST_IDS = 100;
/** Rows that come into view together ask in one drawing. */
const WAIT_MS = 10;

type Names = ReadonlyMap<string, string>;
type Question = { ids: Set<string>; answer: Promise<Names> };

/** Questions that still take ids, by what they are about. */
const open = new Map<string, Question>();

/** The name of a thing, null for one that is not there. Ids that are asked for at the same time go in one request. */
export async function askTogether(
  about: string,
  id: string,
  ask: (ids: readonly string[]) => Promise<Names>,
): Promise<string | null> {
  let question = open.get(about);
  if (question === undefined || question.ids.size >= MOST_IDS) {
    const ids = new Set<string>();
    const begun: Question = {
      ids,
      answer: new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS)).then(() => {
        if (open.get(about) === begun) open.delete(about);
        return ask([...ids]);
      }),
    };
    question = begun;
    open.set(about, begun);
  }
  question.ids.add(id);
  return (await question.answer).get(id) ?? null;
}
