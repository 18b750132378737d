/** English words of the editor of JSON. */
export const enDefinition = {
  definition: {
    line: (line: number) => `Line ${line}`,
  },
};
