/** A part of a text that matches one of the searched texts, or several that overlap. `found`: the longest of them. */
type Hit = { start: number; end: number; found: number };

/**
 * Returns a function that finds every occurrence of `texts` (none of them empty) in a text, in order; overlapping
 * occurrences are merged.
 *
 * Uses the Aho–Corasick automaton: one pass whose time depends only on the length of the text, however many texts are
 * searched for and however similar they are. Building it takes time and about 40 bytes per character, so callers must
 * limit the total length.
 */
export function createTextFinder(texts: readonly string[]): (text: string) => Hit[] {
  const trie = createTrie(texts);
  return (text) => {
    const hits: Hit[] = [];
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      node = trie.follow(node, text.charCodeAt(at));
      const found = trie.longestAt(node);
      if (found === -1) continue;
      let hit: Hit = { start: at + 1 - lengthOf(texts, found), end: at + 1, found };
      for (let last = hits.at(-1); last !== undefined && last.end > hit.start; last = hits.at(-1)) {
        const longer = lengthOf(texts, last.found) > lengthOf(texts, hit.found) ? last.found : hit.found;
        hit = { start: Math.min(last.start, hit.start), end: hit.end, found: longer };
        hits.pop();
      }
      hits.push(hit);
    }
    return hits;
  };
}

const lengthOf = (texts: readonly string[], index: number): number => texts[index]?.length ?? 0;

type Trie = {
  /** Returns the node of the longest prefix that ends with this character. 0 is the root. */
  follow(node: number, character: number): number;
  /** Returns the longest text that ends at a node; -1 if none does. */
  longestAt(node: number): number;
};

function createTrie(texts: readonly string[]): Trie {
  const most = texts.reduce((sum, text) => sum + text.length, 1);
  const children = createChildren(most);
  const [parents, characters, depths] = [new Int32Array(most), new Uint16Array(most), new Int32Array(most)];
  const longest = new Int32Array(most).fill(-1);
  let size = 1;
  for (const [index, text] of texts.entries()) {
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      const known = children.get(node, character);
      if (known === 0) {
        children.add(node, character, size);
        parents[size] = node;
        characters[size] = character;
        depths[size] = at + 1;
        size += 1;
      }
      node = known === 0 ? size - 1 : known;
    }
    longest[node] = index;
  }

  // The node to continue from if a text does not continue here: the longest other prefix that ends with the same
  // characters.
  const fallbacks = new Int32Array(most);
  const follow = (from: number, character: number): number => {
    let node = from;
    for (;;) {
      const child = children.get(node, character);
      if (child !== 0 || node === 0) return child;
      node = fallbacks[node] ?? 0;
    }
  };
  for (const node of byDepth(depths.subarray(1, size))) {
    const parent = parents[node] ?? 0;
    if (parent !== 0) fallbacks[node] = follow(fallbacks[parent] ?? 0, characters[node] ?? 0);
    // A text that ends here is longer than one that ends at the fallback.
    if (longest[node] === -1) longest[node] = longest[fallbacks[node] ?? 0] ?? -1;
  }
  return { follow, longestAt: (node) => longest[node] ?? -1 };
}

/** Returns the nodes from 1 on, ordered by depth: a fallback is always less deep. */
function byDepth(depths: Int32Array): number[] {
  const levels: number[][] = [];
  depths.forEach((depth, index) => (levels[depth] ??= []).push(index + 1));
  return levels.flat();
}

const { imul } = Math;

/**
 * Stores children by node and character in one hash table with open addressing; a Map per node would take ten times the
 * memory.
 */
function createChildren(most: number) {
  const bits = Math.max(4, Math.ceil(Math.log2(most * 2)));
  const last = 2 ** bits - 1;
  const [nodes, characters, children] = [
    new Int32Array(2 ** bits),
    new Uint16Array(2 ** bits),
    new Int32Array(2 ** bits),
  ];
  const slotOf = (node: number, character: number): number => {
    // Fibonacci hashing: the upper bits of a product with 2^32 divided by the golden ratio.
    let slot = imul(imul(node, 65_599) + character, 0x9e_37_79_b1) >>> (32 - bits);
    while (children[slot] !== 0 && (nodes[slot] !== node || characters[slot] !== character)) slot = (slot + 1) & last;
    return slot;
  };
  return {
    /** Returns 0 if there is none. */
    get: (node: number, character: number): number => children[slotOf(node, character)] ?? 0,
    add(node: number, character: number, child: number): void {
      const slot = slotOf(node, character);
      nodes[slot] = node;
      characters[slot] = character;
      children[slot] = child;
    },
  };
}
