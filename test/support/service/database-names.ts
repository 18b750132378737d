/** Prefix of the name of every test file's database. */
export const TEST_DATABASE_PREFIX = 'test_';
