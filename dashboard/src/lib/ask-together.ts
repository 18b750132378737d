/** Most ids that the service accepts in one request. */
const MOST_IDS = 100;
/** How long to collect ids: rows that come into view together ask during the same render. */
const WAIT_MS = 10;

type Names = ReadonlyMap<string, string>;
type Question = { ids: Set<string>; answer: Promise<Names> };

/** Batches that still accept ids, by the kind of thing. */
const open = new Map<string, Question>();

/** Returns the name of a thing, or null if it does not exist. Ids requested at the same time share one request. */
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
