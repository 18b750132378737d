/**
 * Divides room between two queues. The two begin by turns, because often there is room for one item only. The first one takes half
 * of the room at most.
 */
export function createAlternation(): <One, Other>(
  room: number,
  takeOne: (count: number) => One[],
  takeOther: (count: number) => Other[],
) => { one: One[]; other: Other[] } {
  let isOthersTurn = true;
  return (room, takeOne, takeOther) => {
    isOthersTurn = !isOthersTurn;
    const half = Math.ceil(room / 2);
    if (isOthersTurn) {
      const other = takeOther(half);
      return { one: takeOne(room - other.length), other };
    }
    const one = takeOne(half);
    return { one, other: takeOther(room - one.length) };
  };
}
