/** What the API document would say of a row that a test makes up. */
export const WORDS = { operationId: 'things.ask', summary: 'Ask', description: 'Asks for a thing.' };
