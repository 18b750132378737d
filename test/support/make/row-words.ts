/** The words that the API document needs for a row invented by a test. */
export const WORDS = { operationId: 'things.ask', summary: 'Ask', description: 'Asks for a thing.' };
