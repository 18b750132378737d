/** One instruction of a Dockerfile: its word in capitals, and the rest with its continued lines joined. */
export type Instruction = { word: string; rest: string };

export type Stage = { base: string; name?: string; instructions: Instruction[] };

/**
 * Stages of a Dockerfile, in the part of its language that ours uses: FROM … AS …, instructions of one or several lines, comments.
 * Throws for anything before the first FROM.
 */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Stage[] = [];
  for (const line of lines) {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    if (word === 'FROM') {
      const [base = '', as, name] = rest;
      stages.push({ base, instructions: [], ...(as === 'AS' && name !== undefined && { name }) });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`The Dockerfile has ${word} before FROM`);
      stage.instructions.push({ word, rest: line.trim().slice(word.length).trim() });
    }
  }
  return stages;
}

/** The published image that the last stage stands on, through all stages that it names. */
export function baseOf(stages: readonly Stage[]): string {
  let base = stages.at(-1)?.base ?? '';
  for (const stage of stages.toReversed()) if (stage.name === base) base = stage.base;
  return base;
}

/** Entries of a .dockerignore that begins with `*`: what is let in, and what is left out of that again. */
export function readIgnoreFile(text: string): { included: string[]; excluded: string[] } {
  const entries = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (entries[0] !== '*') throw new Error('.dockerignore must begin with *: what is not listed stays out');
  return {
    included: entries.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1)),
    excluded: entries.filter((entry) => entry !== '*' && !entry.startsWith('!')),
  };
}
